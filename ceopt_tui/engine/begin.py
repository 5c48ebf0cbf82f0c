"""The start of a tick: a new run is identified and its branch made; an old one must still be the same run.

Where the spec changed before the first idea the run is measured afresh; later a person has to choose.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Literal

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.session import Session
from ceopt_tui.errors import NeedsPersonError, SetupError
from ceopt_tui.journal.atomic import write_atomic
from schemas.records import AnyRecord, Noted, RunStarted

SPEC_COPY = "spec.yaml"


def begin(session: Session, inputs: RunInputs, parts: Parts) -> list[AnyRecord]:
    """Records that open this tick: the run's identity for a new one, what changed for an old one."""
    state = session.state
    records: list[AnyRecord] = [*new_notes(state, session.warnings, "info"), *new_notes(state, parts.notes)]
    if state.started is None:
        return [*records, *_new_run(session, inputs, parts)]
    if begins_again(state, inputs):
        note = "the spec, the eval set or a check changed before the first idea: the baseline is measured afresh"
        records += [Noted(text=note), _started(inputs, parts, state.started), inputs.split]
    elif state.split is None:  # a kill may come between any two records
        records.append(inputs.split)
    if not changed(state, inputs):
        write_atomic(session.folder / SPEC_COPY, inputs.spec_bytes)
    return [*records, *(model for model in parts.models if state.models.get(model.role) != model)]


def changed(state: RunState, inputs: RunInputs) -> bool:
    """Would the spec and all it points at score the same outputs differently than what is on record?"""
    return state.started is not None and state.started.measurement_digest != inputs.measurement_digest


def begins_again(state: RunState, inputs: RunInputs) -> bool:
    """A changed spec from which nothing was derived yet: gates and baseline are due again."""
    same_text = state.started is not None and state.started.text_digest == inputs.text_digest
    return changed(state, inputs) and same_text and not state.hypotheses


def refuse_changed(state: RunState, inputs: RunInputs) -> None:
    """What produced the logged measurements may not change under them."""
    if changed(state, inputs):
        raise NeedsPersonError(
            "the spec, the eval set or a check changed in a way that the logged measurements do not match",
            f"Restore the approved spec (a copy is {SPEC_COPY} in the state folder), or start over with --fresh; "
            "the old run is archived, nothing is deleted.",
        )


def new_notes(state: RunState, texts: Sequence[str], level: Literal["info", "warning"] = "warning") -> list[Noted]:
    """Notes that are not on record yet. Warnings are for the report, the rest for whoever reads the log."""
    known = {note.text for note in state.notes}
    return [Noted(level=level, text=text) for text in dict.fromkeys(texts) if text not in known]


def _new_run(session: Session, inputs: RunInputs, parts: Parts) -> list[AnyRecord]:
    _refuse_uncommitted(inputs, parts)
    parts.backend.prepare(parts.backend.head(), sorted(inputs.texts))
    write_atomic(session.folder / SPEC_COPY, inputs.spec_bytes)
    return [_started(inputs, parts, None), inputs.split, *parts.models]


def _started(inputs: RunInputs, parts: Parts, earlier: RunStarted | None) -> RunStarted:
    """The run's identity; one that is measured afresh keeps its name tag and the commit it grew from."""
    return RunStarted(
        run_id=earlier.run_id if earlier else secrets.token_hex(6),
        name=inputs.name,
        ceopt_version=parts.version,
        repository=parts.backend.repository,
        spec_file=inputs.spec_file,
        spec_digest=inputs.spec_digest,
        approval_digest=inputs.approval_digest,
        measurement_digest=inputs.measurement_digest,
        base_sha=earlier.base_sha if earlier else parts.backend.head(),
        branch=parts.backend.branch,
        texts=dict(inputs.texts),
        text_digest=inputs.text_digest,
        seed=inputs.seed,
    )


def _refuse_uncommitted(inputs: RunInputs, parts: Parts) -> None:
    """The baseline must be a text that a commit holds; the user's unfinished edits are theirs."""
    dirty = parts.backend.dirty(inputs.committed)
    if dirty:
        verb = "has" if len(dirty) == 1 else "have"
        raise SetupError(
            f"{', '.join(dirty)} {verb} changes that are not committed",
            "Commit or stash them first; the baseline must be a text that git holds.",
        )
