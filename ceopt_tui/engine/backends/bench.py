"""The bench: runs the measuring command of a spec on a commit, in a checkout of its own below the state folder.

Never measures in the user's working tree. What a command leaves behind stays in its checkout and is never committed.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.core.command_ports import Printed
from ceopt_tui.core.masking import mask
from ceopt_tui.engine.backends.printed import printed_by
from ceopt_tui.gitops.paths import inside
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.shared_files import share
from ceopt_tui.gitops.worktrees import Worktree, Worktrees
from ceopt_tui.programs import run_program, workplace
from schemas.command_records import Workload

CENSOR_VARIABLE = "CEOPT_CENSOR_AFTER"
MOST_KEPT_BYTES = 16_000_000
HIGHEST_PORT = 65_535


@dataclass(frozen=True)
class BenchSetting:
    """The commands by workload, and what they find around them."""

    commands: Mapping[Workload, str]
    working_directory: str = "."
    timeout_s: float = 600.0
    environment: Mapping[str, str] = field(default_factory=dict)
    port_variable: str | None = None
    port_base: int | None = None
    shared_files: Sequence[str] = ()
    secrets: Collection[str] = ()


class CommandBench:
    """A `Bench` over detached checkouts; one is made anew when another commit takes its place.

    `git` is held while checkouts are made or removed: git's own list of them bears one change at a time.
    Slots come in pairs, reference and candidate of one experiment, which share a port: they never run at once.
    """

    def __init__(self, repository: Repository, folder: Path, setting: BenchSetting, git: asyncio.Lock) -> None:
        self.machine = platform.node() or "this machine"
        self._setting = setting
        self._worktrees = Worktrees(repository, folder)
        self._out: dict[int, Worktree] = {}
        self._git = git

    async def run(self, commit: str, workload: Workload, slot: int, censor_after_s: float | None) -> Printed:
        tree = await self._checkout(commit, slot)
        where = self._setting.working_directory
        folder = tree.path if where in {"", ".", "./"} else inside(tree.path, where)
        if not folder.is_dir():
            return Printed("error", message=f"{where} is no folder of this commit")
        with workplace() as place:
            ended = await run_program(
                self._setting.commands[workload],
                place,
                self._environment(slot, censor_after_s),
                timeout_s=self._setting.timeout_s,
                cwd=folder,
                kept_bytes=MOST_KEPT_BYTES,
            )
        return printed_by(ended, self._hidden)

    def clean(self) -> None:
        self._out.clear()
        self._worktrees.clean()

    async def _checkout(self, commit: str, slot: int) -> Worktree:
        async with self._git:
            tree = self._out.get(slot)
            if tree is None or tree.base_sha != commit:
                tree = await asyncio.to_thread(self._worktrees.add_detached, commit, slot)
                await asyncio.to_thread(share, tree, self._setting.shared_files)
                self._out[slot] = tree
            return tree

    def _environment(self, slot: int, censor_after_s: float | None) -> dict[str, str]:
        found = dict(self._setting.environment)
        if self._setting.port_variable and self._setting.port_base is not None:
            base = self._setting.port_base
            found[self._setting.port_variable] = str(base + slot // 2 % (HIGHEST_PORT + 1 - base))
        if censor_after_s is not None:
            found[CENSOR_VARIABLE] = f"{censor_after_s:g}"
        return found

    def _hidden(self, text: str) -> str:
        """What a command says may hold a key of its environment; what it measured is not altered."""
        return mask(text, self._setting.secrets)
