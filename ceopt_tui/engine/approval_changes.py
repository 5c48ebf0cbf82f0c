"""What is not as it was when a person approved it: said beside the question that asks them again. Reads only."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ceopt_tui.core.plan.setting_up import approved
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import said
from ceopt_tui.engine.begin import SPEC_COPY
from ceopt_tui.engine.parts import Parts, RunInputs

LINES_SHOWN = 8


def changes_since_approval(state: RunState, inputs: RunInputs, parts: Parts) -> tuple[str, ...]:
    """Caps and lines of the spec that differ; empty where nothing was approved yet, or just this was."""
    if "spec" not in state.approvals or approved(state, parts.terms, "spec"):
        return ()
    found = [*_caps(state, parts), *_spec_lines(inputs, parts)]
    rest = [f"and {len(found) - LINES_SHOWN} more lines"] if len(found) > LINES_SHOWN else []
    return (*found[:LINES_SHOWN], *rest) or ("another file that the spec names",)


def _caps(state: RunState, parts: Parts) -> Iterator[str]:
    before, now = state.approvals["spec"].caps, parts.terms.caps
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            yield f"{name}: {_amount(before.get(name))} → {_amount(now.get(name))}"


def _amount(cap: float | None) -> str:
    return "none" if cap is None else f"{cap:,g}"


def _spec_lines(inputs: RunInputs, parts: Parts) -> Iterator[str]:
    """Lines of the spec that were taken out or put in since; the copy is of the spec as it was approved."""
    copy = parts.state_folder / SPEC_COPY
    before = copy.read_bytes() if copy.is_file() else inputs.spec_bytes
    old, new = (data.decode("utf-8-sig", "replace").splitlines() for data in (before, inputs.spec_bytes))
    for line in difflib.ndiff(old, new):
        if line[:2] in {"- ", "+ "}:
            yield said(f"{line[0]} {line[2:].strip()}")
