"""Trying the prompt on a case of the list: the price first, then one call, then what came out may be taken over."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.ui.screens.at_work import AtWorkScreen
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.evalset_file import EvalSetFileScreen
from ceopt_tui.ui.screens.pick import PickScreen
from schemas.evalset import Case

LONGEST_SHOWN = 40_000  # characters of what came out; all of it is taken over
NO_SPEC = "Only a spec says what to run: open the set with v from the list of runs, or with `ceopt evalset edit SPEC`."


class TriesCase(Protocol):
    """Runs a spec's text on a case. Both may raise CeoptError."""

    async def price(self) -> str: ...

    async def run(self, case: Case) -> RunResult: ...


class EvalSetTrialScreen(EvalSetFileScreen):
    """An eval set whose cases can be run; without `trial` it says what is missing.

    From the key to the answer one dialogue follows the other, so no key meant for the list meets a question.
    """

    trial: TriesCase | None = None

    def action_try(self) -> None:
        case, trial = self.editable(), self.trial
        if case is None:
            return
        if trial is None:
            self.notify(NO_SPEC, timeout=10, markup=False)
            return

        def priced(price: str | None) -> None:
            if price is not None:
                self._confirm(trial, case, price)

        self.app.push_screen(AtWorkScreen("Finding out what one call costs", trial.price), priced)

    def _confirm(self, trial: TriesCase, case: Case, price: str) -> None:
        name = one_line(case.id)

        def confirmed(yes: bool | None) -> None:
            if yes:
                work = AtWorkScreen(f"Running the text on {name}", partial(trial.run, case))
                self.app.push_screen(work, partial(self._tried, case.id))

        question = f"Run the text on {name}? {said(price)}."
        self.app.push_screen(ConfirmScreen(question, "run it", "leave it"), confirmed)

    def _tried(self, case_id: str, result: RunResult | None) -> None:
        if result is None:
            return
        if result.error is not None:
            self.notify(said(result.error), severity="error", timeout=20, markup=False)
            return

        def picked(place: int | None) -> None:
            if place == 0 and self.board is not None and self.board.draft.case(case_id) is not None:
                self.edit(case_id, observed=result.output)

        kept = " (a reply kept from before)" if result.facts is not None and result.facts.cached else ""
        cut = " It was cut off at the length limit." if result.truncated else ""
        question = f"What came out of {one_line(case_id)}{kept}:{cut}"
        options = ("take it as observed", "leave it")
        self.app.push_screen(PickScreen(question, options, _shown(result.output)), picked)


def _shown(output: str) -> str:
    left = len(output) - LONGEST_SHOWN
    return (output if left <= 0 else f"{output[:LONGEST_SHOWN]}\n… {left:,} more characters") or "(nothing)"
