"""A winner's figures stay out of sight until a person had the chance to score it blind; the judge's calls are filed."""

from __future__ import annotations

from dataclasses import replace

from fakes import terms
from journals import experiment, looping, next_action
from test_forecast import SPLIT
from test_plan_judged import ATTENDED, BLIND_DONE, JUDGE, judged, told, winner
from test_state_judging import RUBRIC, call, verdict

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.plan.actions import Ask
from ceopt_tui.core.plan.calibrating import NOT_NOW
from ceopt_tui.core.plan.forecast import plan_lines
from ceopt_tui.core.state.fold import fold
from schemas.judging_records import Judged
from schemas.records import Asked, CallStarted, Decided, Looked


def won() -> list[object]:
    kept = Decided(number=1, step="holdout", decision="keep", next_measurement="none", reason="said so")
    return [RUBRIC, *experiment(), Looked(look=1, number=1, level=0.1, keeps=0), kept]


def test_the_offer_comes_before_the_question_that_shows_figures_and_may_be_declined() -> None:
    assert next_action(looping(*won()), **ATTENDED) == Ask("blind", 1)
    declined = looping(*won(), *told("blind-1", NOT_NOW))
    assert next_action(declined, **ATTENDED) == Ask("keep", 1)
    assert not declined.scores_hidden


def test_scores_are_hidden_from_the_offer_to_the_end_of_the_sheet() -> None:
    asked = Asked(question_id="blind-1", title="t", message="m", question="?", options=("not now",))
    assert not looping(RUBRIC, *experiment()).scores_hidden
    assert looping(*won(), asked).scores_hidden
    assert fold([RUBRIC], winner()).scores_hidden
    assert not fold([RUBRIC, BLIND_DONE], winner()).scores_hidden


def test_what_judging_took_stands_by_the_experiment_it_was_for() -> None:
    state = looping(*experiment(), Judged(verdicts=(verdict("s1", 3.0, text="new"),), calls=(call(0.5),)))
    assert state.experiments[1].judging.calls == 1 and state.experiments[1].judging.usd == 0.5
    assert looping(*judged(("s1",), 3.0)).experiments == {}


def test_requests_cut_off_by_a_kill_belong_to_the_role_that_sent_them() -> None:
    cut_off = [
        CallStarted(call_id="c1", role="judge", usd_reserved=0.5),
        CallStarted(call_id="c2", role="judge", usd_reserved=0.25),
        CallStarted(call_id="c3", role="task", usd_reserved=None),
    ]
    spend = looping(*cut_off).spend
    assert (spend.lost_of("judge").calls, spend.lost_of("judge").usd, spend.lost_of("judge").unpriced) == (2, 0.75, 0)
    assert (spend.lost_of("task").calls, spend.lost_of("task").unpriced) == (1, 1)
    assert spend.lost_of("proposer").calls == 0 and spend.lost.calls == 3


def test_the_cap_on_judging_stands_beside_money_without_one() -> None:
    capped = terms(judge=replace(JUDGE, cap_usd=5.0), budget=Caps(calls=100))
    assert any("uncapped in money, judging at most 5.00 USD" in line for line in plan_lines(SPLIT, capped))
    assert not any("judging at most" in line for line in plan_lines(SPLIT, terms(judge=JUDGE)))


def test_a_limit_by_either_name_takes_the_place_of_the_default() -> None:
    defaults = {"temperature": 0, "max_tokens": 512}
    assert over_defaults(defaults, {"max_completion_tokens": 9}) == {"temperature": 0, "max_completion_tokens": 9}
    assert over_defaults(defaults, {"max_tokens": 9}) == {"temperature": 0, "max_tokens": 9}
    assert over_defaults(defaults, {"top_p": 1}) == {"temperature": 0, "max_tokens": 512, "top_p": 1}
