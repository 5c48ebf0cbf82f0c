"""Workers elsewhere, as the engine knows them: a recipe goes out by a dispatcher, its result comes back as a ref.

What comes back is a claim. It is taken whole or refused, and never repaired.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import chain, count
from pathlib import Path

from ceopt_tui.core.command_ports import Delivery, Recipe
from ceopt_tui.core.delivered import belongs
from ceopt_tui.errors import GitError, InputError, ProposalError
from ceopt_tui.gitops.hub import Hub
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.remote.dispatch import Dispatcher
from ceopt_tui.remote.payload import Payload
from schemas.paths import covers
from schemas.result_marker import ResultMarker, parse_result_marker
from schemas.spec import Spec

RESULT = "result.yaml"
LINKS = frozenset({"120000", "160000"})  # git's modes of a symbolic link and of a submodule
LONGEST_DIFF = 200_000


class GitWorkers:
    """Implements command_ports.Workers over a hub that both sides push to.

    Markers are copied to `folder` before their ref may go.
    """

    def __init__(
        self,
        repository: Repository,
        hub: Hub,
        dispatcher: Dispatcher,
        spec: Spec,
        folder: Path,
        deadline_s: float,
    ) -> None:
        self.name = f"remote ({dispatcher.name})"
        self.deadline_s = deadline_s
        self._repository = repository
        self._hub = hub
        self._dispatcher = dispatcher
        self._spec = spec
        self._folder = folder

    async def free_ref(self, branch: str) -> str:
        taken = await asyncio.to_thread(self._standing)
        numbered = (f"{branch}.{number}" for number in count(2))
        return next(ref for ref in chain([branch], numbered) if not any(belongs(one, ref) for one in taken))

    async def dispatch(self, recipe: Recipe, ref: str) -> str:
        base_ref = f"optimize-exp/{recipe.name}/base-{recipe.base_sha[:12]}"
        await asyncio.to_thread(self._hub.push, recipe.base_sha, base_ref)
        payload = Payload(recipe, self._spec, ref, self._hub.address, base_ref)
        return await self._dispatcher.send(payload.as_json(), recipe.number, ref)

    async def collect(self, number: int, ref: str, base_sha: str) -> Delivery | None:
        tip = await asyncio.to_thread(self._hub.fetch, ref)
        if tip is None:
            return None
        try:
            return await asyncio.to_thread(self._delivery, number, ref, tip, base_sha)
        except (GitError, InputError) as error:
            raise ProposalError(str(error)) from error

    async def failure(self, number: int) -> str:
        return await self._dispatcher.failure(number)

    async def standing(self) -> Mapping[str, str]:
        return await asyncio.to_thread(self._standing)

    async def forget(self, number: int, ref: str) -> None:
        await asyncio.to_thread(self._forget, number, ref)

    def _delivery(self, number: int, ref: str, tip: str, base_sha: str) -> Delivery:
        raw = self._repository.show(tip, RESULT)
        marker = parse_result_marker(raw, f"{ref}:{RESULT}")
        self._check_range(marker, tip, base_sha)
        files = self._changed(base_sha, marker.head_sha)
        if outside := [path for path in files if not self._may_change(path)]:
            raise ProposalError(f"it changes {', '.join(outside)}, which may not be changed")
        if links := self._links(base_sha, marker.head_sha):
            raise ProposalError(f"it makes {', '.join(links)} a link, and only files may come")
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._folder / f"exp-{number:03d}.yaml", raw)
        diff = self._repository.git("diff", "--no-color", base_sha, marker.head_sha)[:LONGEST_DIFF]
        return Delivery(marker.head_sha, tip, files, diff, marker)

    def _check_range(self, marker: ResultMarker, tip: str, base_sha: str) -> None:
        """The edit grows from what was handed out, and after it comes the result's file and nothing else."""
        known = not self._repository.attempt("cat-file", "-e", f"{marker.head_sha}^{{commit}}").status
        if not known or not self._repository.is_ancestor(marker.head_sha, tip):
            raise ProposalError(f"its edit {marker.head_sha[:12]} is not in what was pushed")
        if not self._repository.is_ancestor(base_sha, marker.head_sha):
            raise ProposalError(f"its edit does not grow from {base_sha[:12]}, which was handed out")
        after = self._changed(marker.head_sha, tip)
        if after != [RESULT]:
            raise ProposalError(
                f"after its edit it changes {', '.join(after) or 'nothing'}, and only {RESULT} may come"
            )
        # Every commit on the way counts: what one adds and the next takes away was there for somebody to run.
        for commit in self._repository.git("rev-list", f"{base_sha}..{marker.head_sha}").split():
            touched = self._changed(f"{commit}^", commit)
            if outside := [path for path in touched if not self._may_change(path)]:
                raise ProposalError(f"its commit {commit[:12]} touches {', '.join(outside)}, which may not be changed")

    def _changed(self, before: str, after: str) -> list[str]:
        listed = self._repository.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", before, after)
        return sorted(listed.split("\0")[:-1])

    def _may_change(self, path: str) -> bool:
        return any(covers(scope, path) for scope in self._spec.scope.mutable)

    def _links(self, before: str, after: str) -> list[str]:
        """Links and submodules that the edit makes; they would lead out of its scope."""
        listed = self._repository.git("diff-tree", "-r", "-z", "--no-renames", "--raw", before, after).split("\0")[:-1]
        return [path for facts, path in zip(listed[::2], listed[1::2], strict=True) if facts.split()[1] in LINKS]

    def _standing(self) -> Mapping[str, str]:
        return self._hub.branches(f"optimize-exp/{self._spec.name}/exp-*")

    def _forget(self, number: int, ref: str) -> None:
        if not (self._folder / f"exp-{number:03d}.yaml").is_file():
            return
        commit = self._hub.branches(ref).get(ref)
        if commit is not None:
            self._hub.delete(ref, commit)
