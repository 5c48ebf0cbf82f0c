"""Sheets of outputs as a run lays them before a person, and the app scoring one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from histories import begun, state_of
from stage import Stage

from ceopt_tui.core.judging_ports import Level, PersonMark, Sheet, SheetItem, SheetOutcome
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.skin import Skin
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import RunOptions

RUBRIC = """\
How well do the notes tell a user what changed?

5 - every change a user can see, in their words, nothing else
4 - one small thing missing or said in the code's words
3 - the point is there, but a user has to guess at parts of it
2 - mostly internals; a user learns little
1 - wrong, empty or about something else"""
LEVELS = tuple(Level(float(line[0]), line[0], line[4:]) for line in reversed(RUBRIC.split("\n")) if line[:1].isdigit())
INPUT = "\n".join(f"* {word}: {what}" for word, what in (
    ("fix", "the export no longer drops the last row (#812)"),
    ("chore", "bump the linter"),
    ("feat", "dates can be shown in the reader's own time zone"),
    ("refactor", "move the parser into a package of its own"),
    ("fix", "a second click on Save no longer saves twice"),
    ("test", "cover the import of empty files"),
    ("docs", "say how to undo an import"),
    ("perf", "lists of more than 10,000 rows open at once"),
))  # fmt: skip
OUTPUT = """\
**Fixed**
- The last row is in every export again.
- Save saves once, however often it is clicked.

**New**
- Dates can be shown in your own time zone.

**Faster**
- Long lists open at once."""


def sheet(count: int = 10, **changes: object) -> Sheet:
    """A sheet of release notes; every output can be told from the others."""
    values: dict[str, object] = {
        "id": "calibration-1",
        "title": "Score some outputs yourself",
        "purpose": "calibration",
        "rubric": RUBRIC,
        "levels": LEVELS,
        "items": tuple(SheetItem(f"item-{n}", INPUT, f"{OUTPUT}\n\nRelease {n}.") for n in range(1, count + 1)),
        **changes,
    }
    return Sheet(**values)  # type: ignore[arg-type]


@dataclass
class ScoringStage(Stage):
    """A run whose tick does nothing but let a person score a sheet; `marks` is its journal."""

    folder: Path
    sheet: Sheet = field(default_factory=sheet)
    marks: list[tuple[str, PersonMark]] = field(default_factory=list)
    outcome: SheetOutcome | None = None
    fault: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__(self.folder)

    async def tick(self, options: RunOptions, skin: Skin) -> TickResult:
        async def record(item_id: str, mark: PersonMark) -> None:
            if self.fault is not None:
                raise self.fault
            self.marks.append((item_id, mark))

        skin.opened(state_of(begun()), self.world.terms)
        self.outcome = await skin.score(self.sheet, record)
        return TickResult("waiting", "waiting", f"the sheet was {self.outcome}", ExitStatus.WAITING)
