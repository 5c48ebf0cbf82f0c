"""Which runs that are still open measure on an eval set, and which of its cases they hold out. Reads only."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import CeoptError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.looking import FoundRun, all_runs
from schemas.loading import load_spec
from schemas.records import SplitFrozen


@dataclass(frozen=True)
class OpenRun:
    """A run that has not finished, with its frozen split."""

    name: str
    split: SplitFrozen


@dataclass(frozen=True)
class EvalSetFiles:
    """The eval sets of a spec, and how it divides them."""

    files: tuple[Path, ...]
    seed: int = 7
    share: float | None = None


def open_runs(
    evalset: Path, case_ids: Collection[str], *, state_root: Path | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[OpenRun, ...]:
    """The open runs of this eval set, by name. Outside a repository there are none."""
    try:
        found = all_runs(evalset.resolve().parent, state_root=state_root, environ=environ)
    except CeoptError:
        return ()
    return tuple(
        OpenRun(run.name, run.state.split)
        for run in found
        if run.state.split is not None and run.state.finished is None and _uses(run, run.state, evalset, case_ids)
    )


def evalset_source(spec: Path, root: Path | None = None) -> EvalSetFiles:
    """The eval sets a spec names: beside the spec, else from the repository's root. Raises InputError."""
    source = load_spec(spec).spec.evalset
    if source is None:
        return EvalSetFiles(())
    homes = [spec.resolve().parent, root or _root(spec)]
    files = [next((home / name for home in homes if (home / name).is_file()), homes[0] / name) for name in source.paths]
    share = source.holdout if isinstance(source.holdout, float) else None
    return EvalSetFiles(tuple(files), source.seed, share)


def _root(spec: Path) -> Path:
    try:
        return Repository.find(spec.resolve().parent).root
    except CeoptError:
        return spec.resolve().parent


def _uses(run: FoundRun, state: RunState, evalset: Path, case_ids: Collection[str]) -> bool:
    """By its spec; where that cannot be read any more, by its cases."""
    assert state.started is not None and state.split is not None
    spec, root = Path(state.started.spec_file), run.repository.root
    try:
        files = evalset_source(spec if spec.is_file() else root / spec, root).files
    except CeoptError:
        return bool(set(case_ids) & {*state.split.selection, *state.split.holdout})
    return evalset.resolve() in {file.resolve() for file in files}
