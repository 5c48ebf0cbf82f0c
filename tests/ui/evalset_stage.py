"""The eval set builder on a stage: a set of twelve cases, and runs that hold some of them out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from stage import Stage, on_stage, until
from textual.pilot import Pilot
from textual.widgets import TextArea

from ceopt_tui.evalset_runs import OpenRun
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.screens.evalset import EvalSetScreen
from schemas.evalset import Case
from schemas.records import SplitFrozen

CASES = """\
# Where a message belongs.
name: triage
check: {type: normalized}
cases:
  # Returns, from the spring.
  - id: refund-after-30-days
    input: "I bought this in March, can I still return it?"
    expected: returns    # not billing
    observed: billing
    went_wrong: Treated every mention of money as billing
    tags: [returns, money]

  - id: invoice-copy
    input: Can you send me the invoice again?
    expected: billing
    kind: guard
"""
MORE = (
    ("parcel-wet", "My parcel arrived soaked.", "shipping", "returns"),
    ("password", "I cannot log in any more.", "account", "billing"),
    ("two-charges", "You charged me twice this month.", "billing", "account"),
    ("wrong-size", "The shoes are too small, I want others.", "returns", "shipping"),
    ("late", "Where is my order? It should be here by now.", "shipping", "account"),
    ("delete-me", "Please delete my account and all my data.", "account", "billing"),
    ("courier", "The courier left it in the rain.", "shipping", "returns"),
    ("vat", "Can the VAT number be put on the bill?", "billing", "account"),
    ("broken", "The lamp does not work.", "returns", "shipping"),
    ("cjk", "荷物がまだ届いていません。", "shipping", "account"),
)


def evalset_text(more: Sequence[tuple[str, str, str, str]] = MORE) -> str:
    return CASES + "".join(
        f"\n  - id: {name}\n    input: {text!r}\n    expected: {wanted}\n    observed: {got}\n"
        for name, text, wanted, got in more
    )


@asynccontextmanager
async def builder(
    folder: Path, text: str | None = None, *, size: tuple[int, int] = (80, 24), runs: tuple[OpenRun, ...] = ()
) -> AsyncIterator[tuple[CeoptApp, Pilot[int], Path]]:
    path = folder / "triage.yaml"
    path.write_text(evalset_text() if text is None else text, encoding="utf-8")
    async with on_stage(Stage(folder / "stage"), size=size) as (app, pilot):
        await app.push_screen(EvalSetScreen(path, looks=lambda _path, _ids: runs))
        await until(pilot, lambda: screen(app).board is not None and not screen(app).busy, "the set")
        yield app, pilot, path


def screen(app: CeoptApp) -> EvalSetScreen:
    return next(shown for shown in app.screen_stack if isinstance(shown, EvalSetScreen))


def case(app: CeoptApp, case_id: str) -> Case:
    board = screen(app).board
    assert board is not None
    found = board.draft.case(case_id)
    assert found is not None
    return found


async def write(pilot: Pilot[int], field: str, text: str) -> None:
    """Replaces the text of a field on the case's screen."""
    area = pilot.app.screen.query_one(f"#{field}", TextArea)
    area.focus()
    area.text = ""
    await pilot.pause()
    await pilot.press(*("enter" if letter == "\n" else "space" if letter == " " else letter for letter in text))


def held(*case_ids: str) -> tuple[OpenRun, ...]:
    split = SplitFrozen(selection=("invoice-copy",), holdout=case_ids, report_only=(), groups=(), seed=7)
    return (OpenRun("triage", split),)
