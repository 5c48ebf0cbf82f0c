"""What a worker elsewhere pushed, as records: a claim, taken only where it is whole and about what was handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ceopt_tui.core.command_ports import Delivery
from schemas.command_records import Arm, ChangeMade, CommandMeasured, Dispatched
from schemas.record import CallFacts
from schemas.result_marker import ResultMarker, Snapshot


def objection_to(delivery: Delivery, dispatched: Dispatched, names: Sequence[str]) -> str:
    """Why a delivery may not be used, in words; empty when it may."""
    marker = delivery.marker
    if marker.base_sha != dispatched.base_sha:
        return f"it was measured on {marker.base_sha[:12]}, and {dispatched.base_sha[:12]} was handed out"
    if marker.head_sha != delivery.head_sha:
        return f"its numbers are of {marker.head_sha[:12]}, and its edit is {delivery.head_sha[:12]}"
    for side, snapshot in (("reference", marker.baseline), ("candidate", marker.candidate)):
        if missing := [name for name in names if name not in snapshot.gates and snapshot.missing((name,))]:
            return f"its {side} lacks {', '.join(missing)}"
    if not delivery.files:
        return "it changes no file"
    return ""


def records_of(delivery: Delivery, number: int) -> list[ChangeMade | CommandMeasured]:
    """The records of a delivery that may be used: the change, then its samples in the order of pairs."""
    marker = delivery.marker
    author = marker.measured_by or marker.machine
    change = ChangeMade(
        number=number,
        commit=delivery.head_sha,
        files=tuple(delivery.files),
        diff=delivery.diff,
        made_by=author,
        calls=_spent(marker),
    )
    pairs = min(_count(marker.baseline), _count(marker.candidate))
    samples = [
        _sample(marker, number, arm, commit, snapshot, at, pairs)
        for at in range(pairs)
        for arm, commit, snapshot in _sides(marker)
    ]
    return [change, *samples]


def _spent(marker: ResultMarker) -> tuple[CallFacts, ...]:
    """What the worker says that editing took: its own word; money it does not name is unknown, never nothing."""
    cost = marker.cost
    return (
        CallFacts(
            role="proposer",
            model=f"worker {marker.measured_by or marker.machine}",
            attempts=1 if cost.calls is None else cost.calls,
            input_tokens=cost.input_tokens or 0,
            output_tokens=cost.output_tokens or 0,
            usd=cost.usd,
            outside=True,
        ),
    )


def _sides(marker: ResultMarker) -> tuple[tuple[Arm, str, Snapshot], tuple[Arm, str, Snapshot]]:
    return ("reference", marker.base_sha, marker.baseline), ("candidate", marker.head_sha, marker.candidate)


def _sample(
    marker: ResultMarker, number: int, arm: Arm, commit: str, snapshot: Snapshot, at: int, pairs: int
) -> CommandMeasured:
    return CommandMeasured(
        commit=commit,
        step="exploratory",
        pairing="standalone",
        arm=arm,
        sample=at,
        experiment=number,
        values={**snapshot.gates, **_values(snapshot, at)},
        cases=snapshot.cases if at == pairs - 1 else None,
        elapsed_s=(snapshot.elapsed_seconds or 0.0) / pairs,
        machine=marker.machine,
        measured_by=marker.measured_by or marker.machine,
    )


def _values(snapshot: Snapshot, at: int) -> dict[str, Any]:
    found = {}
    for name, entry in {**snapshot.diagnostics, **snapshot.metrics}.items():
        samples = entry.get("samples") if isinstance(entry, dict) else None
        found[name] = samples[at] if samples else entry.get("aggregate") if isinstance(entry, dict) else entry
    return found


def _count(snapshot: Snapshot) -> int:
    """Samples of the metric that has fewest; a bare number is one."""
    lengths = [
        len(entry["samples"]) if isinstance(entry, dict) and entry.get("samples") else 1
        for entry in snapshot.metrics.values()
    ]
    return min(lengths, default=0)
