"""A tick of a run whose files may have changed under it: put them back, start over, or leave it to a person.

Decides nothing: the options or the person at the keyboard say which.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ceopt_tui.core.ports import Question
from ceopt_tui.early import PRUNE_SUFFIX, likely_folder
from ceopt_tui.engine.bound_files import holds_copy_of, put_back
from ceopt_tui.engine.ending import EndRequested
from ceopt_tui.engine.loop import CHANGED, TickResult
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import NeedsPersonError, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.looking import all_runs
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.wiring import run_tick

RESTORE, START_OVER, LEAVE = "put back", "start over", "leave it"
_MEANING = {
    RESTORE: "spec, eval set and rubric become what this run was measured by; yours are kept in its state folder",
    START_OVER: "a new run with everything as it is now; this one is archived with its branch, nothing is deleted",
    LEAVE: "nothing changes; the run waits",
}


async def go_on(options: RunOptions, skin: Skin) -> TickResult:
    """One tick; where the measurements on record are of other files and somebody is there, one after their choice."""
    result = await run_tick(options, skin)
    if result.outcome != CHANGED or not options.attended:
        return result
    try:
        answer = await skin.ask(_question(result))
    except (NeedsPersonError, EndRequested):
        return result
    if answer == RESTORE:
        restore(options)
        return await go_on(options, skin)
    return await run_tick(replace(options, fresh=True), skin) if answer == START_OVER else result


def restore(options: RunOptions) -> list[str]:
    """Puts the files of the run back as they were measured by; gives their places. BusyError while it is at work."""
    suffix = PRUNE_SUFFIX if options.prune else ""
    folder = likely_folder(options.spec_path, options.state_root, options.environ, suffix=suffix)
    if folder is None or not folder.is_dir():
        folder = _measured_by(options, suffix)
    if folder is None:
        raise SetupError(f"{options.spec_path} names no run of this repository that could be restored")
    clock = SystemClock()
    with RunLock.acquire(folder, now=clock.now):
        return put_back(folder, Repository.find(options.spec_path.resolve().parent).root, clock.now())


def _measured_by(options: RunOptions, suffix: str) -> Path | None:
    """The one run that was measured by a spec at this place, whatever stands there now."""
    spec = options.spec_path.parent.resolve() / options.spec_path.name
    start = next((above for above in spec.parents if above.is_dir()), Path.cwd())
    place = spec.relative_to(Repository.find(start).root.resolve()).as_posix()
    runs = all_runs(start, state_root=options.state_root, environ=options.environ)
    found = [run.folder for run in runs if run.name.endswith(PRUNE_SUFFIX) == bool(suffix)]
    found = [folder for folder in found if holds_copy_of(folder, place)]
    return found[0] if len(found) == 1 else None


def _question(result: TickResult) -> Question:
    choices = (RESTORE, START_OVER, LEAVE) if result.restorable else (START_OVER, LEAVE)
    meaning = "\n".join(f"{choice:<12}{_MEANING[choice]}" for choice in choices)
    message = f"{result.reason.splitlines()[0]}.\n\n{meaning}"
    return Question("changed", "Not what this run was measured by", message, "How does it go on?", choices)
