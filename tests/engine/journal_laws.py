"""What must hold of any journal, however often its run was killed, parked, changed or ended: laws as plain checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from schemas.records import (
    AnyRecord,
    CaseRun,
    Committed,
    Compared,
    Decided,
    ExperimentClosed,
    ExperimentStarted,
    Finished,
    Looked,
    ModelBound,
    ReportWritten,
    SplitFrozen,
    Stopped,
)

# What a run that has ended may still put on record: starts that find it ended, and words of people.
AFTER_THE_END = frozenset({"tick_started", "tick_ended", "noted", "approved", "declined", "asked", "answered"})
TAKEN_UP_AGAIN = frozenset({"reopened", "run_started"})


def check_laws(records: Sequence[AnyRecord]) -> None:
    """AssertionError with the record that breaks a law."""
    _one_experiment_at_a_time(records)
    _held_out_cases_wait_for_the_selection(records)
    _a_look_is_on_record_before_it_is_spent(records)
    _a_keep_rests_on_its_evidence(records)
    _an_end_is_an_end(records)
    _no_sample_twice(records)
    _one_model_measures(records)


def spent_twice(completed: Counter[tuple[str, str, int]], lost: Counter[tuple[str, str, int]]) -> list[object]:
    """Runs that came back more often than once, those aside that a kill kept from the journal."""
    return [run for run, times in completed.items() if times - lost[run] > 1]


def _one_model_measures(records: Iterable[AnyRecord]) -> None:
    """Another task model or judge comes with measuring afresh, or not at all."""
    bound: dict[str, tuple[object, ...]] = {}
    afresh = False
    for record in records:
        if record.kind in {"tick_started", "run_started"}:
            afresh = record.kind == "run_started"
        if isinstance(record, ModelBound) and record.role in {"task", "judge"}:
            named = (record.model, record.endpoint, str(record.params))
            assert afresh or bound.get(record.role, named) == named, f"{record.role} changes under its measurements"
            bound[record.role] = named


def _one_experiment_at_a_time(records: Iterable[AnyRecord]) -> None:
    open_number, closed = None, set()
    for record in records:
        if isinstance(record, ExperimentStarted):
            assert open_number is None, f"{record.number} starts while {open_number} is open"
            assert record.number == len(closed) + 1, f"experiment {record.number} is out of turn"
            open_number = record.number
        if isinstance(record, ExperimentClosed):
            assert record.number == open_number, f"{record.number} ends while {open_number} is open"
            closed.add(record.number)
            open_number = None


def _held_out(records: Iterable[AnyRecord]) -> Iterable[tuple[int, CaseRun]]:
    """Runs on held-out cases that decide something: those of the final report come after the loop."""
    holdout: set[str] = set()
    for place, record in enumerate(records):
        if isinstance(record, SplitFrozen):
            holdout = set(record.holdout)
        if isinstance(record, CaseRun) and record.case_id in holdout and record.step != "report":
            yield place, record


def _held_out_cases_wait_for_the_selection(records: Sequence[AnyRecord]) -> None:
    for place, run in _held_out(records):
        passed = any(
            isinstance(one, Decided) and one.number == run.experiment and one.next_measurement == "confirm"
            for one in records[:place]
        )
        assert passed, f"held-out case {run.case_id} is run before experiment {run.experiment} won its selection"


def _a_look_is_on_record_before_it_is_spent(records: Sequence[AnyRecord]) -> None:
    for place, run in _held_out(records):
        looked = any(isinstance(one, Looked) and one.number == run.experiment for one in records[:place])
        assert looked, f"held-out case {run.case_id} is run before the look of experiment {run.experiment}"
    looks = [record.look for record in records if isinstance(record, Looked)]
    assert looks == list(range(1, len(looks) + 1)), f"looks are not counted one by one: {looks}"


def _a_keep_rests_on_its_evidence(records: Sequence[AnyRecord]) -> None:
    for place, kept in enumerate(records):
        if not isinstance(kept, Committed):
            continue
        of_it = [one for one in records[:place] if getattr(one, "number", None) == kept.number]
        assert any(isinstance(one, Looked) for one in of_it), f"{kept.number} is kept without a look"
        decided = [one for one in of_it if isinstance(one, Decided)]
        assert decided and (decided[-1].decision, decided[-1].step) == ("keep", "holdout"), f"{kept.number}: {decided}"
        pairs = {one.comparison for one in of_it if isinstance(one, Compared)}
        assert {"standalone", "holdout"} <= pairs, f"{kept.number} is kept with {pairs} alone"


def _an_end_is_an_end(records: Iterable[AnyRecord]) -> None:
    stopped: Stopped | None = None
    finished: Finished | None = None
    reported = False
    for record in records:
        if record.kind in TAKEN_UP_AGAIN:
            stopped, finished, reported = None, None, False
        if isinstance(record, Finished):
            assert stopped is not None and finished is None, "a run ends once, and after its loop"
            finished = record
        elif finished is not None:
            assert record.kind in AFTER_THE_END, f"{record.kind} after the run ended with {finished.outcome}"
        if isinstance(record, ExperimentStarted):
            assert stopped is None, f"experiment {record.number} starts after the loop stopped"
        if isinstance(record, ReportWritten):
            assert stopped is not None and not reported, "the report follows the loop, once"
            reported = True
        if isinstance(record, Stopped):
            stopped = record


def _no_sample_twice(records: Iterable[AnyRecord]) -> None:
    """Within one measurement: a spec that changed before the first idea begins a new one."""
    seen: set[tuple[str, str, int]] = set()
    for record in records:
        if record.kind == "run_started":
            seen.clear()
        if isinstance(record, CaseRun):
            key = (record.text_digest, record.case_id, record.sample)
            assert key not in seen, f"sample {record.sample} of {record.case_id} is on record twice"
            seen.add(key)
