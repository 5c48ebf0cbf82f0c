"""The command line `claude`: `claude -p --output-format json` prints one result and reads its prompt from stdin."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ceopt_tui.agent_clis.dialect import Access, AgentReply

_ACCESS: Mapping[Access, tuple[str, ...]] = {
    "read": ("--permission-mode", "default", "--tools", "Read,Glob,Grep"),
    "edit": ("--permission-mode", "acceptEdits", "--tools", "Read,Glob,Grep,Edit,Write"),
    "all": ("--permission-mode", "bypassPermissions"),
    "case": ("--permission-mode", "acceptEdits", "--tools", "Read,Glob,Grep,Edit,Write,Skill"),
    "boxed": ("--permission-mode", "bypassPermissions"),
}
_FOLLOWS_ITS_FOLDER = frozenset({"case", "boxed"})
_READ_ABOVE = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/**")
_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Claude:
    """Implements dialect.Dialect."""

    executable = "claude"
    provider = "anthropic"
    package = "@anthropic-ai/claude-code"
    install = f"Install it with `npm install -g {package}`."
    login = "Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to what `claude setup-token` prints."
    keys: tuple[str, ...] = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
    variables: tuple[str, ...] = (*keys, "ANTHROPIC_BASE_URL")
    inside: tuple[str, ...] = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")
    instructions = "CLAUDE.md"
    skills = ".claude/skills"

    def arguments(self, access: Access, model: str | None, last_message: Path) -> tuple[str, ...]:
        chosen = ("--model", model) if model else ()
        # Settings of the project may name hooks, and its servers may be anything: neither is started.
        sources = "user,project" if access in _FOLLOWS_ITS_FOLDER else "user"
        fixed = (self.executable, "-p", "--output-format", "json", "--setting-sources", sources, "--strict-mcp-config")
        return (*fixed, *_ACCESS[access], *chosen)

    def settle(self, home: Path, environ: Mapping[str, str]) -> dict[str, str]:
        folder = home / ".claude"
        folder.mkdir()
        quiet = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GIT_DIR": "/dev/null"}
        return {"CLAUDE_CONFIG_DIR": str(folder), **quiet}

    def seat(self, home: Path, folder: Path, system: str) -> tuple[str, ...]:
        above = [str(parent / name) for parent in folder.parents for name in _READ_ABOVE]
        (home / ".claude" / "settings.json").write_text(json.dumps({"claudeMdExcludes": above}), encoding="utf-8")
        if not system:
            return ()
        file = home / ".claude" / "system-prompt.md"
        file.write_text(system, encoding="utf-8", errors="replace")
        return ("--append-system-prompt-file", str(file))

    def may_sign_in(self, environ: Mapping[str, str]) -> bool:
        return any(environ.get(name, "").strip() for name in self.keys)

    def reply(self, stdout: str, last_message: str | None) -> AgentReply:
        result = _result(stdout)
        if result is None:
            return AgentReply(fault="it printed no result")
        text, used = result.get("result"), result.get("usage")
        fault = ""
        if result.get("is_error") or result.get("subtype", "success") != "success":  # either alone may tell
            fault = str(text or result.get("subtype") or "it failed without a reason")
        elif not isinstance(text, str):
            fault = "its result holds no text"
        return AgentReply(
            text if isinstance(text, str) else "",
            fault,
            input_tokens=sum(_count(used, name) for name in _SENT),
            output_tokens=_count(used, "output_tokens"),
            usd=_price(result.get("total_cost_usd")),
            turns=max(1, _count(result, "num_turns")),
        )


def _result(stdout: str) -> dict[str, Any] | None:
    """The result object: all that is printed, its last line, or the last entry of a list of messages."""
    text = stdout.strip()
    for candidate in dict.fromkeys((text, text.splitlines()[-1] if text else "")):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        last = found[-1] if isinstance(found, list) and found else found
        if isinstance(last, dict) and last.get("type") == "result":
            return last
    return None


def _count(used: Any, name: str) -> int:
    value = used.get(name) if isinstance(used, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _price(usd: Any) -> float | None:
    if isinstance(usd, bool) or not isinstance(usd, int | float) or not math.isfinite(usd) or usd < 0:
        return None
    return float(usd)
