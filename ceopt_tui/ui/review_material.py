"""Reads what a review shows beside the state: outputs from the journal, inputs from the eval set. Knows no widget.

Outputs of a closed experiment are not kept in memory; the journal has them. Of an open run no held-out one is read.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import CeoptError
from ceopt_tui.inputs import digests
from ceopt_tui.journal.disk import JOURNAL_NAME, storage_error
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.review_cases import Material
from ceopt_tui.wiring import project_of
from schemas.evalset import Case
from schemas.records import RECORDS, CaseRun

# Runs that no verdict on a candidate rests on.
ASIDE = frozenset({"report", "drift"})
CHANGED = "the eval set has changed since, so inputs are not shown"
NO_SPEC = "the spec is not where it was, so inputs are not shown"

Outputs = dict[tuple[str, str], tuple[str, ...]]


def hidden_cases(state: RunState) -> frozenset[str]:
    """Held-out cases, as long as a run is open."""
    return frozenset(state.split.holdout) if state.split and state.finished is None else frozenset()


def read_material(folder: Path, options: RunOptions | None, state: RunState, number: int) -> Material:
    """Outputs of both texts of an experiment, with the cases. StorageError when the journal cannot be read."""
    experiment, hidden = state.experiments[number], hidden_cases(state)
    wanted = {digest for digest in (experiment.started.base_digest, experiment.text_digest) if digest}
    outputs = read_outputs(folder / JOURNAL_NAME, wanted, hidden)
    cases, note = _cases(options, state)
    return Material(outputs, {case.id: case for case in cases if case.id not in hidden}, note)


def read_outputs(journal: Path, text_digests: Collection[str], hidden: Collection[str]) -> Outputs:
    """Every output of these texts, by text and case; only lines that may hold one are parsed."""
    marks = [digest.encode() for digest in text_digests]
    found: dict[tuple[str, str], list[str]] = {}
    try:
        with journal.open("rb") as lines:
            for line in lines:
                if b'"case_run"' in line and line.endswith(b"\n") and any(mark in line for mark in marks):
                    _file(found, RECORDS.validate_json(line), text_digests, hidden)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise storage_error(error, journal) from error
    return {place: tuple(outputs) for place, outputs in found.items()}


def _file(
    found: dict[tuple[str, str], list[str]], record: object, text_digests: Collection[str], hidden: Collection[str]
) -> None:
    if not isinstance(record, CaseRun) or record.text_digest not in text_digests or record.step in ASIDE:
        return
    if record.case_id not in hidden:
        output = record.output if record.unscored is None else f"({record.unscored})"
        found.setdefault((record.text_digest, record.case_id), []).append(output)


def _cases(options: RunOptions | None, state: RunState) -> tuple[tuple[Case, ...], str]:
    """The cases as they were measured; none, and why, where that cannot be known."""
    if options is None:
        return (), NO_SPEC
    try:
        project = project_of(options)
    except CeoptError as error:
        return (), f"inputs are not shown: {error.message}"
    same = state.started is not None and digests(project)[1] == state.started.measurement_digest
    return (project.cases, "") if same else ((), CHANGED)
