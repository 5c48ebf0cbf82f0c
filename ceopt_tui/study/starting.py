"""A study from its plan to its last record: lock, journal, the same study as before, runners, cells, reports."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ceopt_tui.core.ports import Clock, Runner
from ceopt_tui.core.study.attempts import StudyState, fold
from ceopt_tui.errors import InputError, Problem, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal, open_as
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.journal.replay import replay_as
from ceopt_tui.study.adapters.agents import require_agents
from ceopt_tui.study.adapters.api import Calls
from ceopt_tui.study.freezing import Committed, Manifest, differences, manifest_of, require_committed
from ceopt_tui.study.harnesses import make_harnesses
from ceopt_tui.study.judge_trial import is_judge_tried, try_judge
from ceopt_tui.study.outputs import OutputFiles, read_replies
from ceopt_tui.study.places import make_output, output_folder
from ceopt_tui.study.planning import StudyPlan, require_registered
from ceopt_tui.study.probing import Token, probe_targets
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.running import CellRunner, Progress
from ceopt_tui.study.work import require_sound_work
from schemas.study_loading import load_study
from schemas.study_records import STUDY_RECORDS, StudyRecord, StudyRegistered

Warn = Callable[[str], None]


@dataclass(frozen=True)
class Surroundings:
    """What a study runs in. `more` are runners that take the place of those of their targets."""

    environ: Mapping[str, str]
    clock: Clock
    warn: Warn
    progress: Progress
    cache_folder: Path | None = None
    more: Mapping[str, Runner] | None = None
    keep_outputs: bool = False
    token: Token = secrets.token_hex  # a word that nobody can know


async def run_study(
    plan: StudyPlan, around: Surroundings, *, fresh: bool = False, probe_only: bool = False
) -> StudyState:
    """Runs what is not settled yet and gives the state at its end; with `probe_only` no cell of it.

    Raises InputError where a byte differs from what was registered, BusyError where another process is at work, and
    what ends a study: BudgetError, ProviderError, SetupError. What was measured by then is on record.
    """
    if around.more is None:
        require_agents(plan.loaded.study, around.environ)
    await require_sound_work(plan.loaded)
    committed = require_registered(plan)
    if committed is not None:
        _require_commit_first(committed, around.clock.now())
    make_output(plan.folder)
    with RunLock.acquire(plan.folder, now=around.clock.now):
        if fresh:
            _start_over(plan.folder, around.clock.now())
        with open_as(plan.folder, STUDY_RECORDS.validate_json, now=around.clock.now) as journal:
            state = _registered(plan, journal, committed)
            await _run_cells(plan, journal, state, around, probe_only=probe_only)
    return read_study(plan.folder)


def read_study(folder: Path) -> StudyState:
    """The state of an output, from its journal. Raises StorageError where that cannot be trusted."""
    return fold(replay_as(folder / JOURNAL_NAME, STUDY_RECORDS.validate_json).records)


def recorded_report(study: Path, output: str) -> dict[str, Any]:
    """The report of what is on record. Raises SetupError where nothing is, or the study is another one by now."""
    loaded = load_study(study)
    folder = output_folder(loaded.folder, output)
    state = read_study(folder)
    if state.registered is None:
        raise SetupError(f"{folder} holds no results", "Run the study first.")
    changed = [name for name, digest in manifest_of(loaded).files.items() if state.registered.files.get(name) != digest]
    if changed:
        raise SetupError(f"{', '.join(changed)} is no longer what these results were measured with")
    return report_of(loaded, state, read_replies(folder))


async def _run_cells(
    plan: StudyPlan, journal: Journal[StudyRecord], state: StudyState, around: Surroundings, *, probe_only: bool
) -> None:
    study = plan.loaded.study
    async with AsyncExitStack() as stack:
        calls = Calls(study, state.spent)
        made = await make_harnesses(
            plan.loaded,
            {} if around.more is not None else plan.models,
            calls,
            stack,
            environ=around.environ,
            cache_folder=around.cache_folder,
            clock=around.clock,
            warn=around.warn,
        )
        runners = made.runners | dict(around.more or {})
        open_cells = [cell for cell in plan.cells if probe_only or not state.is_settled(cell.id)]
        estimates = {cell.target.id: plan.estimates[cell.id] for cell in open_cells}
        unproved = {target: harness for target, harness in made.provable.items() if target in estimates}
        await probe_targets(unproved, estimates, journal, state, calls.failed, around.token)
        if probe_only:
            return
        judged = [cell for cell in open_cells if cell.case.is_judged]
        if made.judging is not None and judged and not is_judge_tried(plan.loaded, state):
            await try_judge(made.judging, plan, journal, state)
        keep = OutputFiles(plan.folder).keep if around.keep_outputs else None
        work = CellRunner(
            plan,
            runners,
            journal,
            state,
            failed=calls.failed,
            progress=around.progress,
            keep=keep,
            judging=made.judging,
        )
        await work.run()


def _registered(plan: StudyPlan, journal: Journal[StudyRecord], committed: Committed | None) -> StudyState:
    """The state on record, of this very study; a new journal begins with its registration."""
    state = fold(journal.replayed.records)
    fingerprint = plan.manifest.fingerprint(plan.folder.name)
    if state.registered is None:
        head = StudyRegistered(
            fingerprint=fingerprint,
            files=dict(plan.manifest.files),
            values=dict(plan.manifest.values),
            commit=committed.commit if committed else None,
            committed_at=committed.at if committed else "",
        )
        return fold(journal.append([head]))
    if state.registered.fingerprint != fingerprint:
        raise InputError(_changes(plan, state.registered), "Results are kept apart: give the study another --output.")
    if state.registered.commit is not None and committed is not None:
        require_committed(plan.loaded, Repository.find(plan.loaded.folder), state.registered.commit)
    return state


def _changes(plan: StudyPlan, registered: StudyRegistered) -> list[Problem]:
    before = Manifest(registered.files, registered.values)
    found = list(differences(before, plan.manifest)) or ["the output was renamed"]
    return [Problem(str(plan.loaded.folder), 0, "", f"{change} since the first call") for change in found]


def _require_commit_first(committed: Committed, now: datetime) -> None:
    """A commit that is younger than the first call would have registered nothing before it."""
    if datetime.fromisoformat(committed.at) > now:
        raise SetupError(
            f"the commit {committed.commit[:10]} is dated {committed.at}, which is later than now",
            "Set the clock right, or commit the study anew.",
        )


def _start_over(folder: Path, moment: datetime) -> None:
    """Only what holds no attempt may be begun again; it is set aside and not removed."""
    if not read_study(folder).last_call_free:
        raise SetupError("--fresh is refused: calls are on record", "Give the study another --output.")
    journal = folder / JOURNAL_NAME
    if journal.exists():
        journal.rename(folder / f"{JOURNAL_NAME}.archived-{moment:%Y%m%dT%H%M%SZ}")
