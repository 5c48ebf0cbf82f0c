"""What runs on a worker: a clone of its own, one edit, pairs of measurements in turns, the result pushed. No loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ceopt_tui.core.command_ports import Editor, Made, Printed, Recipe
from ceopt_tui.core.masking import secrets_in
from ceopt_tui.engine.backends.bench import BenchSetting, CommandBench
from ceopt_tui.engine.backends.making import WorktreeMaker
from ceopt_tui.errors import GitError, ProposalError
from ceopt_tui.gitops.commits import commit_files
from ceopt_tui.gitops.git import git
from ceopt_tui.gitops.hub import Hub
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.remote.payload import Payload
from ceopt_tui.remote.workers import RESULT
from schemas.result_marker import Cost, ResultMarker, Snapshot, result_marker_yaml

CLONE_S = 600.0


async def carry_out(
    payload: Payload,
    editor: Editor,
    folder: Path,
    environ: Mapping[str, str],
    worker: str,
    cost: Callable[[], Cost] = Cost,
) -> str:
    """One experiment from clone to push; gives the branch that the result stands on. `cost` tells what editing took."""
    repository = await asyncio.to_thread(_cloned, payload, folder)
    lock, recipe = asyncio.Lock(), payload.recipe
    maker = WorktreeMaker(repository, folder / "edit", editor, lock)
    made = await maker.make(recipe)
    bench = CommandBench(repository, folder / "bench", _setting(payload, environ), lock)
    try:
        marker = await _measured(bench, recipe, made, worker)
        marker = marker.model_copy(update={"cost": cost()})
    finally:
        bench.clean()
    return await asyncio.to_thread(_pushed, repository, payload, made, marker, worker)


def _cloned(payload: Payload, folder: Path) -> Repository:
    """The base commit in a repository of its own; what the hub holds there must be what was handed out."""
    root, base = folder / "clone", payload.recipe.base_sha
    root.mkdir(parents=True)
    git(["init", "--quiet", "--initial-branch=worker"], root)
    git(["remote", "add", "origin", payload.hub], root)
    git(["fetch", "--quiet", "--no-tags", "origin", f"refs/heads/{payload.base_ref}"], root, timeout_s=CLONE_S)
    fetched = git(["rev-parse", "FETCH_HEAD"], root).strip()
    if fetched != base:
        raise GitError(f"the hub has {fetched[:12]} at {payload.base_ref}, and {base[:12]} was handed out")
    git(["checkout", "--quiet", "--detach", base], root, timeout_s=CLONE_S)
    return Repository.find(root)


def _setting(payload: Payload, environ: Mapping[str, str]) -> BenchSetting:
    measurement, parallel = payload.spec.measurement, payload.spec.parallel
    return BenchSetting(
        {"selection": measurement.command or ""},
        working_directory=measurement.working_directory,
        timeout_s=measurement.timeout_seconds,
        environment=dict(environ),
        port_variable=parallel.port_env_var,
        port_base=parallel.port_base,
        shared_files=parallel.shared_files,
        secrets=secrets_in(environ),
    )


async def _measured(bench: CommandBench, recipe: Recipe, made: Made, worker: str) -> ResultMarker:
    """Pairs in turns, each side going first as often as the other. A run without numbers delivers nothing."""
    taken: dict[str, list[Printed]] = {recipe.base_sha: [], made.commit: []}
    for pair in range(recipe.pairs):
        order = (recipe.base_sha, made.commit) if pair % 2 == 0 else (made.commit, recipe.base_sha)
        for commit in order:
            printed = await bench.run(commit, "selection", int(commit == made.commit), None)
            if printed.status != "ok":
                raise ProposalError(f"measuring {commit[:12]} gave no numbers: {printed.message}")
            taken[commit].append(printed)
    return ResultMarker(
        base_sha=recipe.base_sha,
        head_sha=made.commit,
        machine=socket.gethostname() or "a worker",
        measured_by=worker,
        baseline=_snapshot(taken[recipe.base_sha]),
        candidate=_snapshot(taken[made.commit]),
        correctness=f"{recipe.pairs} pairs in turns",
    )


def _snapshot(samples: Sequence[Printed]) -> Snapshot:
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    metrics: dict[str, Any] = {name: {"samples": [sample.values.get(name) for sample in samples]} for name in names}
    cases = samples[-1].cases
    return Snapshot(
        gates=dict(samples[-1].values),
        metrics=metrics,
        cases=None if cases is None else dict(cases),
        sample_count=len(samples),
        elapsed_seconds=sum(sample.elapsed_s for sample in samples),
    )


def _pushed(repository: Repository, payload: Payload, made: Made, marker: ResultMarker, worker: str) -> str:
    """Puts the result's file on top of the edit and pushes both; a ref that is taken already is left as it is."""
    recipe, hub = payload.recipe, Hub(repository, "origin")
    data = {RESULT: result_marker_yaml(marker).encode("utf-8")}
    tip = commit_files(repository, recipe.branch, data, f"result of exp-{recipe.number:03d}")
    for ref in (payload.ref, f"{payload.ref}-{worker}"):
        if hub.push(tip, ref):
            return ref
    raise GitError(f"{payload.ref} was delivered by others, and by this worker before")
