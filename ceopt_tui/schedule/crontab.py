"""The user's crontab, read and written through the `crontab` command. Knows nothing of jobs."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from ceopt_tui.errors import SetupError

_LIMIT_S = 20.0
_NONE_YET = "no crontab for"


def read_crontab(environ: Mapping[str, str]) -> str:
    """The crontab as it stands, empty when there is none. SetupError when it cannot be read: it is then not written."""
    done = _crontab(environ, "-l")
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "surrogateescape")
    said = done.stderr.decode("utf-8", "replace").strip()
    if _NONE_YET in said:
        return ""
    raise SetupError(f"the crontab cannot be read: {said or f'crontab -l ended with {done.returncode}'}")


def write_crontab(text: str, environ: Mapping[str, str]) -> None:
    """Replaces the crontab and reads it back. SetupError with cron's words; the old one is then still in force."""
    done = _crontab(environ, "-", text=text)
    if done.returncode:
        raise SetupError(f"cron refused the new crontab: {done.stderr.decode('utf-8', 'replace').strip()}")
    found = read_crontab(environ)
    if not found.endswith(text):  # some crons put a header of their own in front
        raise SetupError("the crontab does not hold what was just written to it", "Look at it with `crontab -l`.")


def _crontab(environ: Mapping[str, str], argument: str, text: str | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["crontab", argument],
            input=None if text is None else text.encode("utf-8", "surrogateescape"),
            stdin=subprocess.DEVNULL if text is None else None,
            env={**environ, "LC_ALL": "C"},
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise SetupError(
            "there is no `crontab` command here", "Install cron, or use `--kind systemd` where systemd runs."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"crontab {argument} did not answer for {_LIMIT_S:.0f} s") from error
