"""What a run that is measured by a command knows beyond the rest: commits, samples, who works where.

Only the fold changes it. What a sample means is `decide`'s word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.command_records import (
    Arm,
    ChangeCombined,
    ChangeMade,
    CommandJudged,
    CommandMeasured,
    Delivered,
    Dispatched,
    Pairing,
    Workload,
)


@dataclass(frozen=True)
class Place:
    """One side of one comparison: samples that belong together. `experiment` is None for a reference by itself."""

    commit: str
    experiment: int | None
    pairing: Pairing
    workload: Workload
    arm: Arm

    def on(self, workload: Workload) -> Place:
        """The same side on another workload."""
        return replace(self, workload=workload)


@dataclass
class CommandState:
    """All samples by the commit they were taken on, and the changes that are under way.

    `epoch` numbers the references: a keep makes a new one, whose samples begin anew.
    """

    reference: str = ""
    samples: dict[Place, list[CommandMeasured]] = field(default_factory=dict)
    judged: dict[tuple[Place, int], CommandJudged] = field(default_factory=dict)
    changes: dict[int, ChangeMade] = field(default_factory=dict)
    combined: dict[int, ChangeCombined] = field(default_factory=dict)
    dispatched: dict[int, Dispatched] = field(default_factory=dict)
    delivered: dict[tuple[str, str], Delivered] = field(default_factory=dict)  # by ref and commit
    batch: int = 0
    measured_s: float = 0.0  # time spent measuring, side by side or not

    def add(self, record: CommandMeasured) -> None:
        self.samples.setdefault(place_of(record), []).append(record)
        self.measured_s += record.elapsed_s

    def taken(self, place: Place) -> Sequence[CommandMeasured]:
        """Samples of one side of a comparison, in order."""
        return self.samples.get(place, ())

    def failure(self, place: Place) -> CommandMeasured | None:
        """The first sample of this side that gave no numbers."""
        return next((sample for sample in self.taken(place) if sample.status != "ok"), None)

    def awaiting_judge(self, place: Place) -> CommandMeasured | None:
        """The first sample of this side whose items no judge has seen yet."""
        unjudged = (sample for sample in self.taken(place) if (place, sample.sample) not in self.judged)
        return next((sample for sample in unjudged if sample.items), None)

    def snapshot(self, place: Place, measured_on: Workload | None = None) -> dict[str, Any]:
        """All samples of one side as `decide` reads them. Gates are those of the last sample: each had its turn.

        `measured_on` names the workload whose outputs were judged once more, where no command ran for this one.
        """
        samples = [one for one in self.taken(place.on(measured_on or place.workload)) if one.status == "ok"]
        verdicts = [self.judged[place, one.sample] for one in samples if (place, one.sample) in self.judged]
        names = dict.fromkeys(name for sample in samples for name in sample.values)
        fields = dict.fromkeys(name for verdict in verdicts for name in verdict.scores)
        found: dict[str, Any] = {
            "metrics": {name: {"samples": [sample.values.get(name) for sample in samples]} for name in names},
            "gates": dict(samples[-1].values) if samples else {},
            "judge": {name: {"samples": [one.scores.get(name) for one in verdicts]} for name in fields},
            "elapsed_seconds": sum(sample.elapsed_s for sample in samples),
        }
        if samples and samples[-1].cases is not None:
            found["cases"] = samples[-1].cases
        if smoke := self.taken(place.on("smoke")):
            found["smoke_passed"] = smoke[-1].status == "ok"
        return found


def place_of(record: CommandMeasured | CommandJudged) -> Place:
    """Which side of which comparison a sample belongs to."""
    return Place(record.commit, record.experiment, record.pairing, record.workload, record.arm)
