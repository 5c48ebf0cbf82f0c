"""Where a run is kept, how it is approved ahead of its questions, and how a new one takes its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ceopt_tui.core.plan.setting_up import approved
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.early import PRUNE_SUFFIX
from ceopt_tui.engine.begin import refuse_uncommitted
from ceopt_tui.engine.coverage import carry_over, load_coverage
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.session import Session
from ceopt_tui.errors import SetupError, StorageError
from ceopt_tui.gitops.branches import archive_branches, refuse_clashes
from ceopt_tui.gitops.exactness import refuse_altered
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.inputs import terms_of
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.folders import archive, state_folder
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.journal.tail import read_all
from ceopt_tui.project import Project
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from schemas.records import AnyRecord, Approved, Noted

WORKTREES = "worktrees"  # below the state folder
BENCH = "bench"  # checkouts that are only measured


def folder_of(project: Project, options: RunOptions) -> Path:
    """The run's state folder."""
    root = project.repository.root
    return state_folder(project.spec.name, root, state_root=options.state_root, environ=options.environ)


def coverage_folder(project: Project, options: RunOptions) -> Path:
    """Where the text's coverage is kept: with its own run, also while it is pruned."""
    folder = folder_of(project, options)
    return folder.with_name(folder.name.removesuffix(PRUNE_SUFFIX)) if project.pruning else folder


def mapped(project: Project, options: RunOptions) -> Project:
    """The project with the last coverage map of its text, where there is one. StorageError where it is damaged."""
    if project.by_command:
        return project
    return replace(project, coverage=load_coverage(coverage_folder(project, options)))


def refuse_unmapped_pruning(project: Project) -> None:
    """Pruning takes out what no case misses, so it has to be known, or waived, which rules no case guards."""
    if project.pruning and project.coverage is None and project.protects:
        raise SetupError(
            "no coverage map says which rules no case guards, and pruning would take out just those",
            "Measure it with `ceopt coverage SPEC`; rules without a case are then protected. To let go whatever no "
            "case misses, write `coverage: off` into the spec.",
        )


def start_over(project: Project, folder: Path, inputs: RunInputs, digest: str | None) -> tuple[AnyRecord, ...]:
    """Archives an old run of this name, branch and state; nothing is deleted. BusyError while it is being written.

    Gives the approvals of just this spec and these caps that the old run had: they are for the files, not for a run.
    Raises SetupError, with nothing archived, where the new run would be refused: what `inputs` has to be committed is
    not, or `digest` is not the one to approve.
    """
    terms = terms_of(project, attended=False, usd_per_run=None)
    _refuse_other_digest(terms, digest)
    refuse_uncommitted(project.repository.dirty(inputs.committed))
    refuse_clashes(project.repository, project.spec.name)
    refuse_altered(project.repository, sorted(inputs.texts))
    moment = SystemClock().now()
    with RunLock.acquire(folder, now=SystemClock().now):
        for checkouts in (WORKTREES, BENCH):
            Worktrees(project.repository, folder / checkouts).clean()
        agreed = _approvals(folder, terms)
        archive_branches(project.repository, project.spec.name, moment)
        carry_over(archive(folder, moment), folder)
    return agreed


def _approvals(folder: Path, terms: Terms) -> tuple[AnyRecord, ...]:
    """Approvals on record that are of these very terms; of a journal that cannot be read none are known."""
    try:
        state = fold(read_all(folder / JOURNAL_NAME)[0].records) if (folder / JOURNAL_NAME).is_file() else RunState()
    except StorageError:
        return ()
    given = [state.approvals[what] for what in ("spec", "baseline") if approved(state, terms, what)]
    again = [Approved(what=one.what, digest=one.digest, caps=one.caps, by=one.by) for one in given]
    note = "the approval of this spec and its caps, given before, holds for the fresh start as well"
    return (*again, Noted(text=note, level="info")) if again else ()


async def approve_ahead(session: Session, project: Project, digest: str | None = None, by: str = "person") -> None:
    """Records both approvals before the run asks, where they are not on record.

    A given digest must be the one of these very files; a run that is under way then asks for its approval and waits.
    """
    terms, state = terms_of(project, attended=False, usd_per_run=None), session.state
    known = approved(state, terms, "spec")
    if digest not in {None, terms.approval_digest} and state.started and not known:
        return
    _refuse_other_digest(terms, digest)
    if known and approved(state, terms, "baseline"):
        return
    await session.recorder.commit(
        Approved(what="spec", digest=terms.approval_digest, caps=terms.caps, by=by),
        Approved(what="baseline", digest=terms.approval_digest, caps=terms.caps, by=by),
    )


def _refuse_other_digest(terms: Terms, digest: str | None) -> None:
    if digest is not None and digest != terms.approval_digest:
        raise SetupError(
            f"--approve {digest[:12]} is not the digest of this spec and its eval set",
            f"Theirs is {terms.approval_digest}. Look at what changed, then approve that.",
        )
