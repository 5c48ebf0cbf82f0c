"""Proves before the first case that an agent sees the text under test and nothing of the operator's.

Code words stand in instructions it must follow and in instructions it must not find: a home like the operator's and
the folders above its own. Within a sandbox a script first looks for the operator's files, at no cost.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ceopt_tui.core.figures import counted
from ceopt_tui.errors import SetupError
from ceopt_tui.programs import program_environment, run_program, workplace
from texttargets.runners.agent_cell import AgentCell, Seat, seated

LOOK_TIMEOUT_S = 30.0
QUESTION = "Which code words do your instructions give you? Answer with all of them, one a line, and nothing else."
_SAYS = "The code word of these instructions is {word}. When somebody asks for code words, answer with it.\n"
_SKILL = "---\nname: {name}\ndescription: Knows a code word. Use it whenever somebody asks for code words.\n---\n\n"
_NAME = "code-words"

# Where an operator keeps what would change an agent's answers, or must not be read by one.
_CONFIGURATION = (
    ".claude/CLAUDE.md", ".claude/settings.json", ".claude/skills", ".claude.json", ".codex/AGENTS.md",
    ".codex/config.toml", ".agents/skills", ".config/git/config", ".gitconfig", ".ssh", ".aws", ".netrc",
)  # fmt: skip


class IsolationError(SetupError):
    """The agent sees what it must not see, or does not see the text under test: no score of it would mean anything."""

    def __init__(self, message: str, hint: str = "", *, foreign: bool = False) -> None:
        super().__init__(message, hint)
        self.foreign = foreign  # did it follow what is not under test


@dataclass(frozen=True)
class Words:
    """The code words: of the text under test, and by the place of instructions that are not the agent's."""

    own: str
    foreign: Mapping[str, str]


def words_of(identity: Mapping[str, str]) -> Words:
    """The same for the same agent, so that a proof that was paid for is not paid for again."""
    seed = ":".join(f"{key}={identity[key]}" for key in sorted(identity))

    def word(place: str) -> str:
        return f"{place}-{hashlib.sha256(f'{seed}:{place}'.encode()).hexdigest()[:10]}"

    return Words(word("own"), {"the operator's home": word("home"), "a folder above its own": word("above")})


def canary_seat(cell: AgentCell, kind: str, words: Words) -> Seat:
    """Instructions with the own word where the text under test goes, and with the foreign one above them."""
    own, dialect = _SAYS.format(word=words.own), cell.dialect
    above = _SAYS.format(word=words.foreign["a folder above its own"])
    seat = Seat({}, "", QUESTION, dict.fromkeys(("AGENTS.md", "CLAUDE.md"), above))
    if kind == "skill":
        text = _SKILL.format(name=_NAME) + own
        return replace(seat, snapshot={f"{dialect.skills}/{_NAME}/SKILL.md": text})
    if kind == "agents":
        return replace(seat, snapshot={dialect.instructions: own})
    return replace(seat, system=own)


def operators_home(root: Path, cell: AgentCell, words: Words) -> dict[str, str]:
    """An environment like the operator's, with a home whose every configuration holds the foreign word."""
    says, real = _SAYS.format(word=words.foreign["the operator's home"]), cell.environ.get("HOME", "")
    for name in (".claude/CLAUDE.md", ".codex/AGENTS.md", "CLAUDE.md", "AGENTS.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(says, encoding="utf-8")
    for folder in (".claude", ".agents", ".codex"):
        skill = root / folder / "skills" / _NAME / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(_SKILL.format(name=_NAME) + says, encoding="utf-8")
    login = {"CODEX_HOME": cell.environ.get("CODEX_HOME") or str(Path(real or "/nonexistent") / ".codex")}
    return {**cell.environ, **login, "HOME": str(root)}


def fault_of(answer: str, words: Words, name: str) -> IsolationError | None:
    """What is wrong with an answer: a word too many, or the one missing that must be there."""
    said = answer.casefold()
    seen = [place for place, word in words.foreign.items() if word.casefold() in said]
    if seen:
        return IsolationError(
            f"`{name}` follows instructions that are not under test: it answered with the code word of "
            f"{' and of '.join(seen)}",
            "Install bubblewrap, which hides them from it, or write `runner: {kind: chat}`.",
            foreign=True,
        )
    if words.own.casefold() in said:
        return None
    return IsolationError(
        f"`{name}` did not answer with the code word of the instructions it was given, so it may not read the text "
        "under test",
        f"Update `{name}`, name another model in `runner.model`, or write `runner: {{kind: chat}}`.",
    )


async def look_around(cell: AgentCell, hidden: Sequence[Path]) -> None:
    """Runs a script where the agent will run. IsolationError when it can read what a sandbox has to hide."""
    if cell.sandbox.program is None:
        return
    with workplace() as place:
        folder = seated(place, Seat({}, "", "", {"CLAUDE.md": "", "AGENTS.md": ""}))
        places = [*operators_files(cell.environ), *hidden, place.root / "CLAUDE.md", place.root / "AGENTS.md"]
        script = 'for one in "$@"; do if [ -r "$one" ]; then printf "%s\\n" "$one"; fi; done; echo looked'
        arguments = ["/bin/sh", "-c", script, "look", *map(str, places)]
        words = shlex.join(cell.sandbox.box(arguments, place, folder))
        environment = program_environment(cell.environ, ())
        ended = await run_program(f"exec {words}", place, environment, timeout_s=LOOK_TIMEOUT_S, cwd=folder)
    *seen, last = ended.stdout.splitlines() or [""]
    if ended.status or last != "looked":
        raise IsolationError(f"the sandbox does not start: {ended.stderr.strip()[-300:] or ended.fault}")
    if seen:
        more = f" and {counted(len(seen) - 1, 'place')} more" if len(seen) > 1 else ""
        raise IsolationError(f"the sandbox does not hide {seen[0]}{more} from `{cell.dialect.executable}`")


def operators_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where the operator's own configuration lies, whether it is there or not."""
    home = environ.get("HOME")
    if home:
        yield from (Path(home) / name for name in _CONFIGURATION)
