"""A run that a command measures, on fakes: journal and engine are real; bench, editor, shelf and reader are rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fakes import FakeClock, FakeSkin
from world import World

from ceopt_tui.core.command_ports import Made, Printed, Recipe
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.core.reading_ports import ChangeToRead, Reading
from ceopt_tui.engine.parts import CommandParts, Parts, RunInputs
from ceopt_tui.errors import SetupError
from schemas.command_records import Workload
from schemas.records import SplitFrozen

SECRET = "held-out-only"  # occurs in nothing but what the held-out command prints


@dataclass(frozen=True)
class Edit:
    """What one idea does to the time the program takes."""

    ms: float
    files: tuple[str, ...] = ("src/a.py",)
    crashes: bool = False
    objection: str = ""


@dataclass
class CommandRun(World):
    """Ideas in order, the first of them `experiment` 1. Nothing of git's: a commit is the name of who made it.

    `store` outlives processes, as commits and branches do: the branch's commits, and what was made of each recipe.
    """

    answer: Any = None
    edits: Sequence[Edit] = ()
    store: dict[str, list[str]] = field(default_factory=lambda: {"branch": ["base"]})
    clock: FakeClock = field(default_factory=FakeClock)
    skin: FakeSkin = field(default_factory=FakeSkin)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bench, self.maker, self.shelf = Bench(self.edits), Maker(self.edits), Shelf(self.store["branch"])

    def inputs(self) -> RunInputs:
        return replace(
            super().inputs(),
            texts={},
            text_digest="",
            cases={},
            split=SplitFrozen(selection=(), holdout=(), seed=7),
            mutable=("src",),
            immutable=("bench.py",),
            command="./measure",
            goals=("ms: smaller is better",),
        )

    def parts(self) -> Parts:
        tools = CommandParts(self.bench, self.maker, self.shelf)
        return replace(super().parts(), command=tools, reader=Reader(self.edits))


@dataclass
class Bench:
    """Base takes 100 ms. A commit is named by the experiments in it: `c1`, `c2+c1`."""

    edits: Sequence[Edit]
    machine: str = "here"
    calls: list[tuple[str, str]] = field(default_factory=list)

    async def run(self, commit: str, workload: Workload, slot: int, censor_after_s: float | None) -> Printed:
        self.calls.append((commit, workload))
        made = [self.edits[int(one[1:]) - 1] for one in commit.split("+") if one != "base"]
        if any(edit.crashes for edit in made):
            return Printed("error", message="it crashed", elapsed_s=1.0)
        ms = min((edit.ms for edit in made), default=100.0) - 5 * max(0, len(made) - 1)
        cases = {SECRET: ms} if workload == "holdout" else {"case": ms}
        return Printed("ok", {"ms": ms, "correct": 1}, cases=cases, elapsed_s=1.0)

    def clean(self) -> None:
        """Nothing is left behind here."""


@dataclass
class Maker:
    """Offers every edit, and makes each as a commit of its own. Remembers what it was told."""

    edits: Sequence[Edit]
    name: str = "llm"
    told: list[Recipe] = field(default_factory=list)

    async def ideas(self, recipe: Recipe, wanted: int) -> Sequence[HypothesisDraft]:
        self.told.append(recipe)
        return [
            HypothesisDraft(f"idea {at}", "c", f"edit {at}", rank=-float(at)) for at in range(1, len(self.edits) + 1)
        ]

    async def make(self, recipe: Recipe) -> Made:
        self.told.append(recipe)
        number = int(recipe.hypothesis.removeprefix("idea "))
        return Made(f"c{number}", self.edits[number - 1].files, diff=f"diff of c{number}")


@dataclass
class Shelf:
    """The branch is a list of commits."""

    branch: list[str]
    applied: list[tuple[str, str]] = field(default_factory=list)
    refuses: list[str] = field(default_factory=list)  # to write into the user's files, with these words

    def combine(self, base_sha: str, commit: str, onto: str, message: str) -> str | None:
        return f"{commit}+{onto}"

    def keep(self, commit: str, onto: str) -> str:
        if commit not in self.branch:
            assert self.branch[-1] == onto
            self.branch.append(commit)
        return commit

    def apply(self, base_sha: str, commit: str, leave: Collection[str]) -> Sequence[str]:
        if self.refuses:
            raise SetupError(self.refuses.pop())
        self.applied.append((base_sha, commit))
        return ["src/a.py"]

    def drop(self, number: int, branch: str) -> None:
        """No branches of experiments here."""


@dataclass
class Reader:
    """Objects where the edit says so; sees a diff and nothing else."""

    edits: Sequence[Edit]
    model: str = "fake/reader"

    async def read(self, change: ChangeToRead) -> Reading:
        said = self.edits[int(change.diff.removeprefix("diff of c")) - 1].objection
        return Reading(reverted=bool(said), reason=said)


def command_terms(folder: Path | None = None, **changes: Any) -> Terms:
    """Terms of such a run: three side by side, a held-out workload, a model that reads."""
    spec = {
        "metric": {
            "primary": {"type": "hard", "name": "ms", "direction": "minimize"},
            "degenerate_gates": [{"name": "correct", "check": "== 1"}],
        },
        "measurement": {
            "stability": {"mode": "repeat", "comparison": {"method": "relative", "relative_threshold": 0.04}}
        },
    }
    command = CommandTerms(
        spec=spec, primary="ms", maximize=False, names=("ms", "correct"), mode="repeat", aggregation="median",
        paired=True, repeats=2, holdout=True, batch=3,
    )  # fmt: skip
    return replace(World(Path(), None).terms, maximize=False, reader=True, command=replace(command, **changes))  # type: ignore[arg-type]
