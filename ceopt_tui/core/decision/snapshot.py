"""One measured side of a comparison, as a measuring command or the engine wrote it down."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.decision.reading import Undecidable, amount, as_number, number, section
from ceopt_tui.core.decision.rules import Gate, Objective
from ceopt_tui.core.statistics import mean


@dataclass(frozen=True)
class Measured:
    """All samples of one metric; `sampled` is false for a bare number, which cannot be paired sample by sample."""

    samples: tuple[float, ...]
    sampled: bool

    def aggregate(self, aggregation: str) -> float:
        """One number for all samples."""
        match aggregation:
            case "min":
                return min(self.samples)
            case "max":
                return max(self.samples)
            case "mean":
                return mean(self.samples)
            case _:
                return float(statistics.median(self.samples))


@dataclass(frozen=True)
class Snapshot:
    """`data` as it came; what is missing is missing, never 0."""

    data: Mapping[str, Any]
    path: str

    @property
    def smoke_passed(self) -> bool | None:
        """Whether the smoke run worked; None before there was one."""
        value = self.data.get("smoke_passed")
        if value is not None and not isinstance(value, bool):
            raise Undecidable(f"{self.path}.smoke_passed is neither true nor false")
        return value

    @property
    def elapsed_s(self) -> float | None:
        """Wall time of the measurement."""
        return number(self.data, "elapsed_seconds", None, f"{self.path}.")

    @property
    def sample_count(self) -> float:
        """How many samples stand behind a bare number."""
        return amount(self.data, "sample_count", 1, f"{self.path}.")

    def failed_gates(self, gates: tuple[Gate, ...]) -> tuple[str, ...]:
        """Names of the gates that do not hold; a gate without a value does not."""
        values = section(self.data, "gates", f"{self.path}.")
        return tuple(gate.name for gate in gates if not _holds(gate, values.get(gate.name)))

    def measured(self, objective: Objective) -> Measured | None:
        """The samples of an objective, or None when one of them is missing: half a measurement decides nothing."""
        metrics = section(self.data, "metrics", f"{self.path}.")
        judged = section(self.data, "judge", f"{self.path}.") if objective.judged else {}
        return _measured(judged[objective.name] if objective.name in judged else metrics.get(objective.name))

    def count(self, objective: Objective, measured: Measured) -> float:
        """Number of samples behind `measured`."""
        return len(measured.samples) if measured.sampled else self.sample_count


def read_snapshot(parent: Mapping[str, Any], key: str, path: str = "") -> Snapshot:
    """The snapshot under `key`, which must be there."""
    if parent.get(key) is None:
        raise Undecidable(f"the payload has no {path}{key}")
    return Snapshot(section(parent, key, path), f"{path}{key}")


def _holds(gate: Gate, value: object) -> bool:
    measured = float(value) if isinstance(value, bool) else as_number(value)
    return measured is not None and gate.holds(measured)


def _measured(value: object) -> Measured | None:
    if isinstance(value, Mapping):
        samples = value.get("samples")
        if samples is not None and samples != []:
            if not isinstance(samples, list | tuple):
                return None
            numbers = [as_number(sample) for sample in samples]
            known = tuple(sample for sample in numbers if sample is not None)
            return Measured(known, True) if len(known) == len(numbers) else None
        value = value.get("aggregate")
    single = as_number(value)
    return None if single is None else Measured((single,), False)
