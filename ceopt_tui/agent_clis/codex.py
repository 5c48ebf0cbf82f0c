"""The command line `codex`: `codex exec --json` prints one event a line and reads its prompt from standard input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ceopt_tui.agent_clis.dialect import Access, AgentReply

_ACCESS: Mapping[Access, tuple[str, ...]] = {
    "read": ("--sandbox", "read-only"),
    "edit": ("--sandbox", "workspace-write"),
    "all": ("--dangerously-bypass-approvals-and-sandbox",),
    "case": ("--sandbox", "workspace-write"),
    "boxed": ("--dangerously-bypass-approvals-and-sandbox",),  # a sandbox within a sandbox does not start everywhere
}
# Commands it runs get no key, and git finds no repository: what a checkout leaves out is not to be had from history.
_SHELL = ("-c", "shell_environment_policy.inherit=core", "-c", 'shell_environment_policy.set={GIT_DIR="/dev/null"}')
LOGIN_FILE = "auth.json"


class Codex:
    """Implements dialect.Dialect."""

    executable = "codex"
    provider = "openai"
    package = "@openai/codex"
    install = f"Install it with `npm install -g {package}`."
    login = "Sign in with `codex login`, or set CODEX_API_KEY."
    keys: tuple[str, ...] = ("CODEX_API_KEY", "OPENAI_API_KEY")
    variables: tuple[str, ...] = (*keys, "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT")
    inside: tuple[str, ...] = ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SESSION_ID", "CODEX_THREAD_ID")
    instructions = "AGENTS.md"
    skills = ".agents/skills"

    def arguments(self, access: Access, model: str | None, last_message: Path) -> tuple[str, ...]:
        chosen = ("--model", model) if model else ()
        fixed = (self.executable, "exec", "--json", "--color", "never", "--skip-git-repo-check")
        return (*fixed, *_ACCESS[access], *_SHELL, *chosen, "--output-last-message", str(last_message), "-")

    def settle(self, home: Path, environ: Mapping[str, str]) -> dict[str, str]:
        folder = home / ".codex"
        folder.mkdir()
        key = environ.get("CODEX_API_KEY") or environ.get("OPENAI_API_KEY")
        login = _login_file(environ)
        if not key and login.is_file():
            # A link: a token that is renewed must be renewed for the user too, or their own login would end.
            (folder / LOGIN_FILE).symlink_to(login)
        return {"CODEX_HOME": str(folder), **({"CODEX_API_KEY": key} if key else {})}

    def seat(self, home: Path, folder: Path, system: str) -> tuple[str, ...]:
        lines = ["project_root_markers = []", *([f"developer_instructions = {_toml(system)}"] if system else ())]
        text = "\n".join((*lines, ""))
        (home / ".codex" / "config.toml").write_text(text, encoding="utf-8", errors="replace")
        return ()

    def may_sign_in(self, environ: Mapping[str, str]) -> bool:
        return any(environ.get(name, "").strip() for name in self.keys) or _login_file(environ).is_file()

    def reply(self, stdout: str, last_message: str | None) -> AgentReply:
        said, fault, done, tokens = "", "", False, [0, 0]
        for event in _events(stdout):
            kind, item = event.get("type"), event.get("item")
            if kind == "item.completed" and isinstance(item, dict) and item.get("type") == "agent_message":
                said = str(item.get("text") or "")
            elif kind == "turn.completed":
                done, fault = True, ""
                used = event.get("usage")
                for place, name in enumerate(("input_tokens", "output_tokens")):
                    tokens[place] += _count(used, name)
            elif kind in {"error", "turn.failed"}:  # one it got over is followed by a completed turn
                done, fault = False, _message(event)
        if not done and not fault:
            fault = "it printed no completed turn"
        text = last_message if last_message and last_message.strip() else said
        return AgentReply(text, fault, tokens[0], tokens[1])


def _toml(text: str) -> str:
    """A basic string: JSON's, which leaves one control character as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _login_file(environ: Mapping[str, str]) -> Path:
    folder = environ.get("CODEX_HOME") or str(Path(environ.get("HOME") or "/nonexistent") / ".codex")
    return Path(folder) / LOGIN_FILE


def _events(stdout: str) -> Iterator[dict[str, Any]]:
    for line in stdout.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the first line where only the end was kept, or talk between events
        if isinstance(event, dict):
            yield event


def _count(used: Any, name: str) -> int:
    value = used.get(name) if isinstance(used, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _message(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    message = error.get("message") if isinstance(error, dict) else event.get("message")
    return str(message or "it failed without a reason")
