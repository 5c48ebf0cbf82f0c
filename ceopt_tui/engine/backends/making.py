"""Has experiments carried out in checkouts of their own, and turns what was edited into one commit each.

The editor may be a model, a command-line agent or a command; what it may touch, and what is committed, is decided here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

from ceopt_tui.core.command_ports import Editor, Made, Recipe
from ceopt_tui.core.ports import HypothesisDraft, ProposalRefused, Refusal
from ceopt_tui.core.visible import one_line
from ceopt_tui.errors import GitError
from ceopt_tui.gitops.branches import delete_experiment, experiment_branch
from ceopt_tui.gitops.commits import changed_in, commit_paths
from ceopt_tui.gitops.diffs import diff
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktree, Worktrees
from schemas.paths import covers

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_DIFF = 200_000  # characters kept on record; the commit holds all of it


class WorktreeMaker:
    """A `Maker` over an editor. `hidden` files are not in its checkouts: eval sets, labels, held-out work.

    `git` is held while checkouts are made or removed: git's own list of them bears one change at a time.
    """

    def __init__(
        self, repository: Repository, folder: Path, editor: Editor, git: asyncio.Lock, hidden: Sequence[str] = ()
    ) -> None:
        self.name = editor.name
        self._repository = repository
        self._worktrees = Worktrees(repository, folder)
        self._editor = editor
        self._hidden = tuple(hidden)
        self._git = git

    async def ideas(self, recipe: Recipe, wanted: int) -> Sequence[HypothesisDraft]:
        branch = experiment_branch(recipe.name, 0)
        try:
            async with self._checkout(branch, recipe.base_sha, 0) as tree:
                return await self._editor.ideas(recipe, tree.path, wanted)
        finally:
            async with self._git:
                await _to_its_end(delete_experiment, self._repository, branch)

    async def make(self, recipe: Recipe) -> Made:
        async with self._checkout(recipe.branch, recipe.base_sha, recipe.number) as tree:
            edited = await self._editor.edit(recipe, tree.path)
            files = await _to_its_end(self._changed, tree, recipe)
            message = f"optimize({recipe.name}): {recipe.hypothesis}"
            try:
                commit = await _to_its_end(commit_paths, tree, files, message)
            except GitError as error:
                raise ProposalRefused([Refusal("out_of_scope", error.message)]) from error
            if commit is None:
                raise ProposalRefused([_nothing()])
            shown = await _to_its_end(diff, self._repository, recipe.base_sha, commit)
        return Made(commit, files, shown[:LONGEST_DIFF], edited.note, edited.made_by, edited.facts)

    def _changed(self, tree: Worktree, recipe: Recipe) -> list[str]:
        """Files that were edited. Anything outside of mutable scope closes the experiment before it costs a sample."""
        changed = changed_in(tree)
        if unnamed := [one_line(path) for path in changed if not _is_text(path)]:
            raise ProposalRefused([Refusal("out_of_scope", f"{path}: its name is not UTF-8") for path in unnamed])
        # Of a hidden file an editor knows nothing: one that is there is another in its place.
        outside = [
            path
            for path in changed
            if not any(covers(scope, path) for scope in recipe.mutable)
            or any(covers(scope, path) for scope in (*recipe.immutable, *self._hidden))
        ]
        if outside:
            raise ProposalRefused([Refusal("out_of_scope", f"{path} may not be changed") for path in outside])
        if not changed:
            raise ProposalRefused([_nothing()])
        return changed

    @asynccontextmanager
    async def _checkout(self, branch: str, base_sha: str, number: int) -> AsyncIterator[Worktree]:
        made: list[Worktree] = []

        def add() -> Worktree:
            made.append(self._worktrees.add(branch, base_sha, number, self._hidden))
            return made[0]

        try:
            async with self._git:
                tree = await _to_its_end(add)
            yield tree
        finally:
            async with self._git:
                for tree in made:
                    await _to_its_end(self._worktrees.remove, tree)


def _is_text(path: str) -> bool:
    try:
        return bool(path.encode("utf-8"))
    except UnicodeEncodeError:
        return False


async def _to_its_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs git in a thread; whoever is cancelled meanwhile goes once it is done, so that nothing is left half made."""
    running = asyncio.create_task(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise


def _nothing() -> Refusal:
    return Refusal("no_edits_applied", "nothing was changed")
