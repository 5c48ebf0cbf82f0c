"""The environment and settings git runs under: it may never prompt, and never guess another repository."""

from collections.abc import Mapping

# Set when ceopt itself runs inside a hook or alias: they would point git away from the folder it is given.
_REPOSITORY_VARIABLES = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
}
OWN_EMAIL = "ceopt@localhost"
_IDENTITY = {"NAME": "ceopt", "EMAIL": OWN_EMAIL}

# What the user's settings may not do to ceopt's own commits and checkouts.
OWN_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "core.fsync=committed",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "i18n.commitEncoding=UTF-8",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
)


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """For ceopt's own git commands: no provider keys, no optional locks, plain English, literal paths."""
    kept = {name: value for name, value in environ.items() if not name.endswith("_API_KEY")}
    return user_environment(kept) | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY.items()},
    }


def user_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """For what git does in the user's name, hooks included: only prompts are shut off.

    A passphrase dialogue may not take the terminal; LANGUAGE keeps git's words English without touching the charset.
    """
    kept = {name: value for name, value in environ.items() if name not in _REPOSITORY_VARIABLES | {"GPG_TTY"}}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": f"{environ.get('GIT_SSH_COMMAND') or 'ssh'} -o BatchMode=yes",
        "SSH_ASKPASS_REQUIRE": "never",
        "LANGUAGE": "en",
    }
