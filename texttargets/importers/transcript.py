"""A session of a person with an agent as cases: a question, its answer, and what the person said to that.

A correction makes the answer a failure; an answer that nobody corrected is none. Readers of sessions give the turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from texttargets.importers.corrections import is_correction, is_going_on
from texttargets.importers.records import Item, LeftOut, Row

_BEFORE = 4  # turns that a question is shown with


@dataclass
class Turn:
    """What one side said without the other. `interrupted` is an answer that the person cut short."""

    role: str  # "user" or "assistant"
    line: int
    id: str = ""
    interrupted: bool = False
    _said: list[tuple[str, str]] = field(default_factory=list)  # message and text
    _tools: list[str] = field(default_factory=list)
    _last_result: int = 0  # how much was said before the last tool came back

    def say(self, text: str, message: str = "") -> None:
        """Adds a piece; of the growing snapshots of one message the longest stays."""
        if not text.strip():
            return
        for index, (known, piece) in enumerate(self._said):
            same = known == message and (message or index == len(self._said) - 1)
            if same and (text.startswith(piece) or piece.startswith(text)):
                self._said[index] = (message, max(piece, text, key=len))
                return
        self._said.append((message, text))

    def call(self, tool: str) -> None:
        """Notes the call of a tool."""
        if tool not in self._tools:
            self._tools.append(tool)

    def tool_result(self) -> None:
        """Notes that a tool came back: what is said from now on is the answer."""
        self._last_result = len(self._said)

    @property
    def text(self) -> str:
        """What was said after the last tool; before it where nothing followed; the tools where nothing was said."""
        pieces = [piece for _, piece in self._said[self._last_result :] or self._said[-1:]]
        return "\n\n".join(pieces).strip() or (f"[calls {', '.join(self._tools)}]" if self._tools else "")


@dataclass
class Session:
    """The turns in order; lines that are no turns are counted by what they are. `start` is its line in the file."""

    name: str = ""
    start: int = 1
    turns: list[Turn] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    first_line: dict[str, int] = field(default_factory=dict)

    def turn(self, role: str, line: int, message: str = "") -> Turn:
        """The turn that is going on, or a new one when the other side spoke last."""
        if not self.turns or self.turns[-1].role != role:
            self.turns.append(Turn(role, line, message))
        return self.turns[-1]

    def answering(self) -> Turn | None:
        """The answer that is going on, if there is one."""
        return self.turns[-1] if self.turns and self.turns[-1].role == "assistant" else None

    def take_back(self, count: int, line: int) -> None:
        """Drops the last questions with their answers: the person took them back and asked anew."""
        for _ in range(count):
            asked = max((index for index, turn in enumerate(self.turns) if turn.role == "user"), default=None)
            if asked is not None:
                del self.turns[asked:]
                self.leave_out(line, "a question that was taken back, with its answer")

    def leave_out(self, line: int, what: str) -> None:
        """Counts a line that is no turn."""
        self.left_out[what] += 1
        self.first_line.setdefault(what, line)


def cases(session: Session) -> Iterator[Item]:
    """One row for each answer; what is no turn is named with its count."""
    turns = [turn for turn in session.turns if turn.text]
    for index, turn in enumerate(turns):
        if turn.role == "assistant" and index and turns[index - 1].role == "user":
            yield _row(session, turns[: index + 1], turns[index + 1] if index + 1 < len(turns) else None)
    for what, count in session.left_out.items():
        lines = "1 line is" if count == 1 else f"{count} lines are"
        yield LeftOut(
            session.first_line[what], f"{lines} no turn of this conversation: {what}", "no turns of a conversation"
        )


def _row(session: Session, turns: Sequence[Turn], reaction: Turn | None) -> Row:
    *before, asked, said = turns
    stopped = said.interrupted and reaction is not None and not is_going_on(reaction.text)
    corrected = reaction is not None and (stopped or is_correction(reaction.text))
    notes = []
    if len(before) > _BEFORE:
        notes.append("earlier turns of the session left out of the input")
    values = {
        "id": _id(session, asked),
        "input": _conversation([*before[-_BEFORE:], asked]),
        "output": said.text,
        "passed": not corrected,
        "reason": reaction.text if corrected and reaction else None,
    }
    why = "nobody corrected it" if reaction else "nobody said anything to it"
    return Row(said.line, values, tuple(notes), why)


def _conversation(turns: Sequence[Turn]) -> str:
    if len(turns) == 1:
        return turns[0].text
    return "\n\n".join(f"{turn.role}: {turn.text}" for turn in turns)


def _id(session: Session, asked: Turn) -> str | None:
    """The id stays the same while a session grows: the message's own, else its line in the session."""
    if asked.id:
        return asked.id
    return f"{session.name}:{asked.line - session.start + 1}" if session.name else None
