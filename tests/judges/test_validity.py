"""A judge is probed before anything rests on it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

import pytest
from judge_endpoint import bench, plays_judge
from stub_endpoint import StubEndpoint

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.errors import ProviderError
from judges.output_judge import RunJudge
from judges.validity import missing_exemplars, probe_judge
from schemas.evalset import Case
from schemas.records import CallFacts, Probed
from schemas.spec_metric import Exemplars

CASES = [
    Case(id=f"c{n}", input=f"Note {n}: fixed bug {n}.", expected=f"Bug {n} is fixed.", observed=f"Stuff {n} happened.")
    for n in range(1, 7)
]
NAMES = ["good above bad", "empty output", "constant output", "copied input", "another case's answer"]
NONE = Exemplars()

Scoring = Callable[[OutputToJudge], float | None]


@dataclass
class Scores:
    """An OutputJudge by a function; every three outputs cost a call."""

    of: Scoring
    asked: list[OutputToJudge] = field(default_factory=list)

    async def judge(
        self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
    ) -> AsyncGenerator[Verdicts, None]:
        self.asked += outputs
        for start in range(0, len(outputs), 3):
            verdicts = []
            for output in outputs[start : start + 3]:
                score = self.of(output)
                verdicts.append(OutputVerdict(output.id, score, unscored="no score in it" if score is None else None))
            yield Verdicts(tuple(verdicts), (CallFacts(role="judge", model="m", call_id=f"c{start}"),))


def sound(output: OutputToJudge) -> float:
    return 5.0 if output.output == output.case.expected else 1.0


async def probe(
    of: Scoring, cases: Sequence[Case] = CASES, exemplars: Exemplars = NONE
) -> tuple[dict[str, Probed], Scores]:
    judge = Scores(of)
    records = await probe_judge(judge, cases, exemplars, 1.0, 5.0, seed=7)
    assert [record.probe for record in records] == NAMES
    return {record.probe: record for record in records}, judge


async def test_a_sound_judge_passes_every_probe_and_each_call_is_in_one_record() -> None:
    probed, judge = await probe(sound)
    assert {record.status for record in probed.values()} == {"passed"}
    assert (probed["good above bad"].score, probed["good above bad"].limit) == (5.0, 1.0)
    assert probed["empty output"].limit == pytest.approx(1 + 0.8 * 4)
    calls = [facts.call_id for record in probed.values() for facts in record.calls]
    assert len(calls) == len(set(calls)) == -(-len(judge.asked) // 3)


async def test_the_judge_cannot_tell_probes_by_id_or_order_and_sees_the_same_ones_again() -> None:
    _, first = await probe(sound)
    _, second = await probe(sound, list(CASES))
    assert first.asked == second.asked
    assert [output.id for output in first.asked] == sorted(output.id for output in first.asked)
    assert all(len(output.id) == 12 and not output.id.startswith("c1") for output in first.asked)


@pytest.mark.parametrize(
    ("probe_name", "favourite"),
    [
        ("empty output", lambda output: output.output == ""),
        ("constant output", lambda output: output.output == "OK"),
        ("copied input", lambda output: output.output == output.case.input),
        ("another case's answer", lambda output: output.output.endswith("is fixed.")),
    ],
)
async def test_a_judge_that_falls_for_a_shortcut_fails_that_probe(
    probe_name: str, favourite: Callable[[OutputToJudge], bool]
) -> None:
    probed, _ = await probe(lambda output: 5.0 if favourite(output) else sound(output))
    assert [name for name, record in probed.items() if record.status == "failed"] == [probe_name]
    assert "from 4.20 on a worthless text could win" in probed[probe_name].detail


@pytest.mark.parametrize(("score", "status"), [(4.2, "failed"), (4.19, "passed")])
async def test_a_shortcut_fails_from_four_fifths_of_the_way_to_the_good_ones(score: float, status: str) -> None:
    probed, _ = await probe(lambda output: score if output.output == "OK" else sound(output))
    assert probed["constant output"].status == status


async def test_the_way_is_measured_to_what_good_outputs_really_get() -> None:
    probed, _ = await probe(lambda output: 3.0 if output.output == output.case.expected else 2.6)
    assert probed["copied input"].limit == pytest.approx(2.6)
    assert probed["copied input"].status == "failed"


@pytest.mark.parametrize("scores", [(3.0, 3.0), (2.0, 4.0)])
async def test_good_outputs_must_score_above_bad_ones(scores: tuple[float, float]) -> None:
    good, bad = scores
    probed, _ = await probe(lambda output: good if output.output == output.case.expected else bad)
    assert probed["good above bad"].status == "failed"
    assert "does not put good outputs above bad ones" in probed["good above bad"].detail


async def test_exemplars_of_the_spec_come_before_the_cases_own() -> None:
    exemplars = Exemplars(good=("Great note.", "Bug 2 is fixed."), bad=("Bad note.",))
    probed, judge = await probe(lambda output: 4.0 if output.output == "Great note." else 1.0, exemplars=exemplars)
    given = {(output.output, output.case.id) for output in judge.asked}
    assert {("Great note.", "exemplar"), ("Bug 2 is fixed.", "c2"), ("Bad note.", "exemplar")} <= given
    assert probed["good above bad"].score == 2.5


async def test_what_cannot_be_built_is_not_run_and_says_what_is_missing() -> None:
    bare = [Case(id=f"b{n}", input=f"in {n}") for n in range(3)]
    probed, _ = await probe(lambda output: 1.0, bare)
    assert {name for name, record in probed.items() if record.status == "not_run"} == {NAMES[0], NAMES[4]}
    assert "an output you consider good" in probed["good above bad"].detail
    assert probed["copied input"].limit == pytest.approx(4.2)
    assert [words.split(":")[0] for words in missing_exemplars(bare, NONE)] == [
        "an output you consider good",
        "an output you consider bad",
    ]
    assert missing_exemplars(bare, Exemplars(good=("a",), bad=("b",))) == ()
    assert missing_exemplars(CASES, NONE) == ()


async def test_no_probe_is_a_right_answer() -> None:
    labels = [Case(id=f"l{n}", input=word, expected=word) for n, word in enumerate(["yes", "yes", "yes", "no", ""])]
    _, judge = await probe(sound, labels)
    wrong = [output for output in judge.asked if output.output != output.case.expected]
    assert len(judge.asked) - len(wrong) == 3  # the good ones alone


async def test_held_out_cases_are_never_shown() -> None:
    held_out = [case.model_copy(update={"split": "holdout"}) for case in CASES[:3]]
    _, judge = await probe(sound, [*held_out, *CASES[3:]])
    assert {output.case.id for output in judge.asked} <= {"c4", "c5", "c6"}


async def test_a_judge_that_gives_no_score_has_failed() -> None:
    probed, _ = await probe(lambda output: None)
    assert {record.status for record in probed.values()} == {"failed"}
    assert all("no score: no score in it" in record.detail for record in probed.values())
    assert "gave the good outputs no score" in probed["good above bad"].detail
    assert "gave the bad outputs no score" in probed["good above bad"].detail


async def test_good_outputs_that_get_no_score_are_no_pass() -> None:
    probed, _ = await probe(lambda output: None if output.output == output.case.expected else 1.0)
    assert probed["good above bad"].status == "failed"
    assert probed["good above bad"].detail == "the judge gave the good outputs no score: no score in it"


async def test_a_probe_that_lacks_its_outputs_is_not_run_though_others_get_no_score() -> None:
    unanswered = [case.model_copy(update={"expected": None}) for case in CASES]
    probed, _ = await probe(lambda output: None, unanswered)
    assert {record.probe for record in probed.values() if record.status == "not_run"} == {NAMES[0], NAMES[4]}
    assert "an output you consider good" in probed["good above bad"].detail


async def test_probes_over_the_wire_cost_one_call_a_batch() -> None:
    with StubEndpoint(
        respond=plays_judge(lambda seen: {"score": 5 if seen.output == seen.expected else 1})
    ) as endpoint:
        async with bench(endpoint, batch_size=5) as at:
            records = await probe_judge(RunJudge(at.client, at.settings), CASES, NONE, 1.0, 5.0, seed=7)
        assert endpoint.posts == sum(len(record.calls) for record in records) == 3  # the empty outputs need none
    assert {record.status for record in records} == {"passed"}


async def test_calls_that_fail_while_a_judge_is_tried_say_nothing_of_it() -> None:
    class Down(Scores):
        async def judge(
            self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
        ) -> AsyncGenerator[Verdicts, None]:
            yield Verdicts(tuple(OutputVerdict(one.id, unscored="503", failed=True) for one in outputs))

    with pytest.raises(ProviderError, match="its calls failed: 503"):
        await probe_judge(Down(sound), CASES, NONE, 1, 5, 7)
