"""What happened around a run while nobody worked on it: to its branch, and to the user's copy of what it changes."""

from __future__ import annotations

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.begin import new_notes
from ceopt_tui.engine.parts import Parts, RunInputs
from schemas.records import Committed, Noted, ReportWritten


def look_around(state: RunState, inputs: RunInputs, parts: Parts) -> list[Noted]:
    """Notes for whoever reads the run. SetupError before anything is paid where its branch is elsewhere."""
    put_back = parts.backend.verify_branch(left_at(state), inputs.mutable)
    done = [Noted(level="info", text=put_back)] if put_back else []
    return [*done, *new_notes(state, _edited(state, inputs, parts), "info")]


def left_at(state: RunState) -> str:
    """The commit the branch was left at, by the journal: of the last keep or report, else where the run began."""
    assert state.started is not None
    written: list[Committed | ReportWritten] = [*state.keeps[-1:], *([state.report] if state.report else [])]
    commits = [one.commit for one in sorted(written, key=lambda one: one.seq) if one.commit]
    return commits[-1] if commits else state.started.base_sha


def _edited(state: RunState, inputs: RunInputs, parts: Parts) -> list[str]:
    """A word on files that are no longer as this run, or a text of its, has them."""
    if state.by_command:
        files = list(parts.backend.dirty(inputs.mutable))
    else:
        known = list(state.texts.values())
        files = [path for path, text in inputs.texts.items() if all(one.get(path) != text for one in known)]
    if not files:
        return []
    verb = "was" if len(files) == 1 else "were"
    return [f"{', '.join(files)} {verb} edited since this run began: it goes on from its own version, not from yours"]
