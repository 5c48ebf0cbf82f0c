"""Starts a coding agent without a person: a home of its own, an environment by allow-list, one process group.

Its prompt comes on standard input and its key by the environment; neither is ever among its arguments.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ceopt_tui.agent_clis.claude import Claude
from ceopt_tui.agent_clis.codex import Codex
from ceopt_tui.agent_clis.dialect import Access, AgentReply, Dialect, Trouble
from ceopt_tui.core.masking import mask, secrets_in
from ceopt_tui.core.visible import one_line
from ceopt_tui.errors import SetupError
from ceopt_tui.programs import Ended, Workplace, program_environment, run_program, workplace

AgentName = Literal["codex", "claude"]
DIALECTS: Mapping[AgentName, Dialect] = {"codex": Codex(), "claude": Claude()}

Box = Callable[[Sequence[str], Workplace, Path], Sequence[str]]  # (command, its workplace, its folder)

# How an agent reaches its provider from here; addresses of proxies may hold a password.
_ROADS = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip
MOST_PRINTED_BYTES = 16_000_000
MOST_AT_ONCE = 4  # every start is a program of its own, with all it takes
LAST_WORDS = 400
VERSION_S = 10.0

# How providers and their command lines say it; looked for in what failed alone, the first that fits counts.
_KINDS: Mapping[Trouble, tuple[str, ...]] = {
    "quota": (
        r"usage limit", r"hit your limit", r"weekly limit", r"insufficient.quota", r"quota exceeded",
        r"exceeded your current quota", r"credit balance", r"out of credits",
    ),
    "auth": (
        r"invalid (?:x-)?(?:api|bearer)[ -]?(?:key|token)", r"incorrect api key", r"authentication_?error",
        r"unauthorized", r"please run /login", r"not logged in", r"token (?:has )?expired",
        r"(?:status|error|code)\D{0,12}40[13]\b",
    ),
    "busy": (
        r"rate.?limit", r"too many requests", r"overloaded", r"at capacity", r"temporarily unavailable",
        r"high demand", r"(?:status|error|code)\D{0,12}(?:429|503|529)\b",
    ),
}  # fmt: skip


def unboxed(arguments: Sequence[str], place: Workplace, folder: Path) -> Sequence[str]:
    """No sandbox."""
    return arguments


@dataclass(frozen=True)
class AgentRun:
    """One run of an agent: what it said, or what kind of trouble kept it from saying anything of use."""

    reply: AgentReply
    elapsed_s: float
    trouble: Trouble | None = None
    fault: str = ""


async def run_agent(
    dialect: Dialect,
    prompt: str,
    folder: Path,
    environ: Mapping[str, str],
    *,
    access: Access,
    model: str | None,
    timeout_s: float,
    beat: Callable[[], None] = lambda: None,
) -> AgentRun:
    """Runs the agent in `folder`. Raises SetupError where it cannot be started, and what `beat` raises."""
    with workplace() as place:
        return await run_agent_in(
            place, dialect, prompt, folder, environ, access=access, model=model, timeout_s=timeout_s, beat=beat
        )


async def run_agent_in(
    place: Workplace,
    dialect: Dialect,
    prompt: str,
    folder: Path,
    environ: Mapping[str, str],
    *,
    access: Access,
    model: str | None,
    timeout_s: float,
    beat: Callable[[], None] = lambda: None,
    system: str | None = None,
    box: Box = unboxed,
) -> AgentRun:
    """The same in a workplace of the caller's. With `system`, "" too, it follows what stands in its folder.

    `box` turns the command into one that runs in a sandbox.
    """
    _require(dialect, environ)
    asked, last = place.request / "prompt.txt", place.request / "last-message.txt"
    asked.write_text(prompt, encoding="utf-8", errors="replace")
    environment = agent_environment(dialect, place, environ)
    arguments = dialect.arguments(access, model, last)
    if system is not None:
        arguments = (*arguments, *dialect.seat(Path(environment["HOME"]), folder, system))
    words = shlex.join(box(arguments, place, folder))
    ended = await run_program(
        f"exec {words} < {shlex.quote(str(asked))}",
        place,
        environment,
        timeout_s=timeout_s,
        beat=beat,
        cwd=folder,
        kept_bytes=MOST_PRINTED_BYTES,
    )
    message = last.read_text(encoding="utf-8", errors="replace") if last.is_file() else None
    return _told(dialect, ended, message, environ)


def agent_environment(dialect: Dialect, place: Workplace, environ: Mapping[str, str]) -> dict[str, str]:
    """All that the agent finds around it: a fresh home, its provider's variables, nothing else of the user's."""
    home = place.scratch / "home"
    home.mkdir()
    given = program_environment(environ, (*dialect.variables, *_ROADS))
    return {**given, "HOME": str(home), **dialect.settle(home, environ)}


def check_agent(dialect: Dialect, environ: Mapping[str, str]) -> None:
    """Raises SetupError where the agent is not installed, or would find no key and no login."""
    _require(dialect, environ)
    if not dialect.may_sign_in(environ):
        raise SetupError(f"`{dialect.executable}` has neither a key nor a login here", dialect.login)


def _require(dialect: Dialect, environ: Mapping[str, str]) -> None:
    if shutil.which(dialect.executable, path=environ.get("PATH")) is None:
        raise SetupError(f"`{dialect.executable}` is not on the PATH", dialect.install)


def started_inside(dialect: Dialect, environ: Mapping[str, str]) -> str | None:
    """The variable that tells that ceopt itself was started by this agent; one in its own sandbox gets nowhere."""
    return next((name for name in dialect.inside if environ.get(name, "").strip()), None)


def agent_version(dialect: Dialect, environ: Mapping[str, str]) -> str | None:
    """What the executable says of its version; None where there is none or it does not say."""
    found = shutil.which(dialect.executable, path=environ.get("PATH"))
    if found is None:
        return None
    try:
        with workplace() as place:
            done = subprocess.run(
                [found, "--version"],
                env=agent_environment(dialect, place, environ),
                cwd=place.request,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=VERSION_S,
                check=True,
            )
    except (OSError, subprocess.SubprocessError):
        return None
    said = done.stdout.decode("utf-8", "replace").strip()
    return one_line(said.splitlines()[0])[:80] if said else None


def _told(dialect: Dialect, ended: Ended, last_message: str | None, environ: Mapping[str, str]) -> AgentRun:
    """What came of it, with nothing secret in it."""
    roads = {environ[name] for name in _ROADS if "@" in environ.get(name, "")}
    keys = {environ[name] for name in dialect.variables if name in environ and not name.endswith("_URL")}
    secrets = frozenset(secrets_in(environ) | roads | keys)
    reply = dialect.reply(ended.stdout, last_message)
    fault = _fault(ended, reply)
    reply = replace(reply, text=mask(reply.text, secrets), fault="")
    if not fault:
        return AgentRun(reply, ended.elapsed_s)
    shown = one_line(mask(fault, secrets))
    shown = shown if len(shown) <= LAST_WORDS else f"{shown[:LAST_WORDS]}…"
    return AgentRun(reply, ended.elapsed_s, trouble=_kind(fault), fault=f"{dialect.executable}: {shown}")


def _fault(ended: Ended, reply: AgentReply) -> str:
    """Why nothing of it can be used, in its own words where it has any; empty when it ended well."""
    if ended.fault:
        return f"it {ended.fault}"
    if ended.status == 0:
        return reply.fault
    how = f"ended with status {ended.status}" if ended.status > 0 else f"was ended by signal {-ended.status}"
    printed = any(line.lstrip().startswith("{") for line in ended.stdout.splitlines())
    words = reply.fault if printed and reply.fault else (ended.stderr.strip() or ended.stdout.strip())[-LAST_WORDS:]
    return f"it {how}" + (f": {words}" if words else " and said nothing")


def _kind(fault: str) -> Trouble:
    for kind, phrases in _KINDS.items():
        if re.search("|".join(phrases), fault, re.IGNORECASE):
            return kind
    return "failed"
