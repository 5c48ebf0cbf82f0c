"""Trying the prompt on a case of the list: the price first, then one call, then what came out may be taken over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from textual.message import Message

from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.visible import one_line, said, visible
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.evalset_file import EvalSetFileScreen
from ceopt_tui.ui.screens.pick import PickScreen
from schemas.evalset import Case

TRYING = "evalset-trying"  # group of its worker
LONGEST_SHOWN, MOST_LINES = 480, 8  # characters and lines of what came out, before it is taken over
NO_SPEC = "Only a spec says what to run: open the set with v from the list of runs, or with `ceopt evalset edit SPEC`."


class TriesCase(Protocol):
    """Runs a spec's text on a case. Both may raise CeoptError."""

    async def price(self) -> str: ...

    async def run(self, case: Case) -> RunResult: ...


@dataclass
class Priced(Message):
    """What a trial would cost."""

    case: Case
    price: str


@dataclass
class Tried(Message):
    """What came out."""

    case: Case
    result: RunResult


@dataclass
class NotTried(Message):
    """Why nothing did."""

    fault: str


class EvalSetTrialScreen(EvalSetFileScreen):
    """An eval set whose cases can be run; without `trial` it says what is missing."""

    trial: TriesCase | None = None
    _trying = False

    def action_try(self) -> None:
        case = self.editable()
        if case is None or self._trying:
            return
        if self.trial is None:
            self.notify(NO_SPEC, timeout=10, markup=False)
            return
        self._try(partial(self._price, self.trial, case))

    def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        self._trying = True
        self.work(work, TRYING)

    async def _price(self, trial: TriesCase, case: Case) -> None:
        try:
            self.post_message(Priced(case, await trial.price()))
        except CeoptError as error:
            self.post_message(NotTried(str(error)))

    async def _run(self, trial: TriesCase, case: Case) -> None:
        try:
            self.post_message(Tried(case, await trial.run(case)))
        except CeoptError as error:
            self.post_message(NotTried(str(error)))

    def on_priced(self, message: Priced) -> None:
        self._trying = False
        trial = self.trial
        assert trial is not None

        def confirmed(yes: bool | None) -> None:
            if yes:
                self._try(partial(self._run, trial, message.case))

        question = f"Run the text on {one_line(message.case.id)}? {said(message.price)}."
        self.app.push_screen(ConfirmScreen(question, "run it", "leave it"), confirmed)

    def on_tried(self, message: Tried) -> None:
        self._trying = False
        result, case_id = message.result, message.case.id
        if result.error is not None:
            self.notify(said(result.error), severity="error", timeout=20, markup=False)
            return

        def picked(place: int | None) -> None:
            if place == 0 and self.board is not None and self.board.draft.case(case_id) is not None:
                self.edit(case_id, observed=result.output)

        shown = _beginning(result.output)
        kept = " (a reply kept from before)" if result.facts is not None and result.facts.cached else ""
        cut = " It was cut off at the length limit." if result.truncated else ""
        question = f"What came out of {one_line(case_id)}{kept}:{cut}\n\n{shown}"
        self.app.push_screen(PickScreen(question, ("take it as observed", "leave it")), picked)

    def on_not_tried(self, message: NotTried) -> None:
        self._trying = False
        self.notify(said(message.fault), severity="error", timeout=20, markup=False)


def _beginning(output: str) -> str:
    """As much as fits above the choices on a small screen."""
    shown = "\n".join(output[:LONGEST_SHOWN].split("\n")[:MOST_LINES])
    return visible(shown) + (" …" if shown != output else "")
