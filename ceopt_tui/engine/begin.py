"""The start of a tick: a new run is identified and its branch made; an old one must still be the same run.

Where the spec changed before the first idea the run is measured afresh; later a person has to choose.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ceopt_tui.core.plan.setting_up import approved
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.bound_files import changed_files, keep_copies
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.session import Session
from ceopt_tui.errors import NeedsPersonError, SetupError
from ceopt_tui.journal.atomic import write_atomic
from schemas.record import Record
from schemas.records import AnyRecord, ModelBound, Noted, RunStarted

SPEC_COPY = "spec.yaml"
MEASURING = frozenset({"task", "judge"})  # roles whose model every score depends on


class MeasuredOtherwise(NeedsPersonError):
    """What is on record was measured by another spec, eval set or model: a person has to choose between the two."""

    restorable = False  # are there copies of the files to put back


def begin(session: Session, inputs: RunInputs, parts: Parts) -> list[AnyRecord]:
    """Records that open this tick: the run's identity for a new one, what changed for an old one."""
    state = session.state
    records: list[AnyRecord] = [
        *new_notes(state, (*session.warnings, *parts.remarks), "info"),
        *new_notes(state, parts.notes),
    ]
    if state.started is None:
        return [*records, *_new_run(session, inputs, parts)]
    if begins_again(state, inputs, parts):
        what = "the spec, the eval set, a check or the model"
        note = f"{what} changed before the first idea: the baseline is measured afresh"
        records += [Noted(text=note), _started(inputs, parts, state.started), inputs.split]
        _copy_files(session, inputs)
    elif state.split is None:  # a kill may come between any two records
        records.append(inputs.split)
    if not changed(state, inputs, parts):
        copy_agreed(session, inputs, parts)
    afresh = any(isinstance(record, RunStarted) for record in records)
    return [*records, *_models(state, parts, afresh=afresh), *_rubric(state, parts)]


def copy_agreed(session: Session, inputs: RunInputs, parts: Parts) -> None:
    """Copies the files as they are, unless a person approved others and not these: `--restore` puts copies back."""
    if "spec" not in session.state.approvals or approved(session.state, parts.terms, "spec"):
        _copy_files(session, inputs)


def _copy_files(session: Session, inputs: RunInputs) -> None:
    """Spec and eval sets as they were measured by stay at hand when the user's change."""
    write_atomic(session.folder / SPEC_COPY, inputs.spec_bytes)
    keep_copies(session.folder, inputs.bound_files)


def _models(state: RunState, parts: Parts, *, afresh: bool) -> list[AnyRecord]:
    """Models that are not on record as they are. One that would measure otherwise than the log gets no record of its
    own: it would hide from `refuse_changed` what the log was measured on.
    """
    other = () if afresh else _otherwise(state, parts)
    return [
        model for model in parts.models if model not in other and _facts(state.models.get(model.role)) != _facts(model)
    ]


def _facts(model: ModelBound | None) -> dict[str, Any] | None:
    """What a record says of the model, apart from when it was written."""
    return model.model_dump(exclude=set(Record.model_fields)) if model else None


def _rubric(state: RunState, parts: Parts) -> list[AnyRecord]:
    """The rubric in force, where it is not on record yet."""
    if parts.judging is None:
        return []
    known = state.judging.rubric
    return [] if known and known.digest == parts.judging.rubric.digest else [parts.judging.rubric]


def changed(state: RunState, inputs: RunInputs, parts: Parts) -> bool:
    """Would this spec, with all it points at and the model it runs on, give other scores than what is on record?"""
    if state.started is None:
        return False
    # A holdout may be added to a spec that had none: nothing on record was measured by it.
    known = {inputs.measurement_digest, inputs.digest_before_holdout}
    return state.started.measurement_digest not in known or bool(_otherwise(state, parts))


def _otherwise(state: RunState, parts: Parts) -> list[ModelBound]:
    """Models named now that are not those on record; a run is measured on one task model and one judge."""
    return [
        now
        for now in parts.models
        if (before := state.models.get(now.role)) is not None
        and now.role in MEASURING
        and (before.model, before.endpoint, before.params) != (now.model, now.endpoint, now.params)
    ]


def _named(model: ModelBound) -> str:
    return f"{model.model} at {model.endpoint}"


def begins_again(state: RunState, inputs: RunInputs, parts: Parts) -> bool:
    """A changed spec from which nothing was derived yet: gates and baseline are due again."""
    same_text = state.started is not None and inputs.text_digest in {state.started.text_digest, ""}
    return changed(state, inputs, parts) and same_text and not state.hypotheses


def refuse_changed(session: Session, inputs: RunInputs, parts: Parts) -> None:
    """What produced the logged measurements may not change under them. MeasuredOtherwise says what did."""
    fresh = "start over with --fresh; the old run is archived, nothing is deleted."
    for model in _otherwise(session.state, parts):
        known = session.state.models[model.role]
        raise MeasuredOtherwise(
            f"this run is measured on {_named(known)}, and now its model would be {_named(model)}",
            f"Name the first model again, or {fresh}",
        )
    if changed(session.state, inputs, parts):
        files = changed_files(session.folder, inputs.bound_files)
        what = ", ".join(files) or "the spec, the eval set or a check"
        back = "with --restore, which keeps yours" if files else f"(the spec is {SPEC_COPY} in the state folder)"
        error = MeasuredOtherwise(
            f"{what} changed in a way that the logged measurements do not match",
            f"Put back what the run was measured by {back}, or {fresh}",
        )
        error.restorable = bool(files)
        raise error


def new_notes(state: RunState, texts: Sequence[str], level: Literal["info", "warning"] = "warning") -> list[Noted]:
    """Notes that are not on record yet. Warnings are for the report, the rest for whoever reads the log."""
    known = {note.text for note in state.notes}
    return [Noted(level=level, text=text) for text in dict.fromkeys(texts) if text not in known]


def _new_run(session: Session, inputs: RunInputs, parts: Parts) -> list[AnyRecord]:
    refuse_uncommitted(parts.backend.dirty(inputs.committed))
    parts.backend.prepare(parts.backend.head(), sorted(inputs.texts))
    _copy_files(session, inputs)
    return [_started(inputs, parts, None), inputs.split, *parts.models, *_rubric(session.state, parts)]


def _started(inputs: RunInputs, parts: Parts, earlier: RunStarted | None) -> RunStarted:
    """The run's identity; one that is measured afresh keeps its name tag and the commit it grew from."""
    base_sha = earlier.base_sha if earlier else parts.backend.head()
    return RunStarted(
        run_id=earlier.run_id if earlier else secrets.token_hex(6),
        name=inputs.name,
        ceopt_version=parts.version,
        repository=parts.backend.repository,
        spec_file=inputs.spec_file,
        spec_digest=inputs.spec_digest,
        approval_digest=inputs.approval_digest,
        measurement_digest=inputs.measurement_digest,
        base_sha=base_sha,
        branch=parts.backend.branch,
        texts=dict(inputs.texts),
        text_digest=inputs.text_digest or base_sha,
        seed=inputs.seed,
        command=inputs.command,
        syntax=inputs.syntax,
    )


def with_recorded_syntax(inputs: RunInputs, state: RunState) -> RunInputs:
    """The inputs with the syntax this run began with: a guess is made once, whatever the user's text has become."""
    started = state.started
    same = started is not None and started.syntax and started.measurement_digest == inputs.measurement_digest
    return replace(inputs, syntax=started.syntax) if started and same else inputs


def refuse_uncommitted(dirty: Sequence[str]) -> None:
    """The baseline must be a text that a commit holds; the user's unfinished edits are theirs."""
    if dirty:
        verb = "has" if len(dirty) == 1 else "have"
        raise SetupError(
            f"{', '.join(dirty)} {verb} changes that are not committed",
            "Commit or stash them first; the baseline must be a text that git holds.",
        )
