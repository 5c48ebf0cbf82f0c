"""The report on an eval set: its size, its faults, what it can see."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from texttargets.evalset_check import EvalsetReport, evalset_report
from texttargets.evalset_view import report_json, report_text
from texttargets.power import expected_floor, power_sentence

CHECK: TypeAdapter[Check] = TypeAdapter(Check)
WORDS = "apple brick cloud delta ember frost grape heron ivory jolly karma lemon".split()  # noqa: SIM905


def evalset(count: int, *more: Case) -> EvalSet:
    cases = [
        Case(
            id=f"c{n}",
            input=f"{WORDS[n % 12]} {n} {WORDS[n % 7]}",
            expected=WORDS[n % 3],
            kind="guard" if n % 4 == 0 else "failure",
        )
        for n in range(count)
    ]
    return EvalSet(name="triage", cases=(*cases, *more))


def codes(report: EvalsetReport) -> list[str]:
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize(
    ("count", "floor"), [(4, "diagnose only"), (5, "tentative"), (10, "enough to start"), (50, "enough to trust")]
)
def test_the_floor(count: int, floor: str) -> None:
    report = evalset_report(evalset(count))
    assert report.floor == floor
    assert ("too_small" in codes(report)) == (count < 5)


def test_below_five_cases_it_says_what_a_run_does() -> None:
    report = evalset_report(evalset(4))
    (message,) = [finding.message for finding in report.findings if finding.code == "too_small"]
    assert message.startswith("4 distinct cases; below 5 a run stops before its first call and keeps nothing")
    text = report_text(report)
    assert "too few for a run" in text and "diagnose" not in text
    assert report_json(report)["floor"] == "diagnose only"


def test_a_sound_set_has_nothing_to_complain_about() -> None:
    report = evalset_report(evalset(12))
    assert report.findings == ()
    assert report.sound
    assert report_text(report).endswith("Nothing to complain about.\n")
    assert (report.failures, report.guards, report.held_out_distinct) == (9, 3, 6)


def test_faults_are_named_with_their_cases() -> None:
    more = (
        Case(id="twin", input="Apple 0 apple!", expected="apple"),
        Case(id="other", input="apple 0 apple", expected="lemon"),
        Case(id="wrong", input="w", expected="yes", check=CHECK.validate_python({"type": "regex", "pattern": "^no$"})),
        Case(id="open", input="o"),
        Case(id="C1", input="case"),
        Case(id="zero\u200bwidth", input="z", expected="z"),
        Case(id="l" * 300, input="long", expected="l"),
    )
    report = evalset_report(evalset(12, *more))
    found = {(finding.code, finding.case_ids) for finding in report.findings}
    assert ("near_duplicates", ("c0", "twin", "other")) in found
    assert ("contradiction", ("c0", "twin", "other")) in found
    assert ("expected_fails", ("wrong",)) in found
    assert ("needs_judge", ("open", "C1")) in found
    assert ("odd_id", ("c1", "C1")) in found
    assert ("odd_id", ("zero\u200bwidth",)) in found
    assert ("odd_id", ("l" * 300,)) in found
    assert report.findings[0].severity == "error"
    assert not report.sound
    assert max(map(len, report_text(report).splitlines())) <= 80


def test_a_leak_between_given_sides_is_an_error() -> None:
    more = (
        Case(id="a", input="Where is my parcel?", split="selection", expected="x"),
        Case(id="b", input="where is my parcel", split="holdout", expected="x"),
    )
    report = evalset_report(evalset(6, *more))
    assert report.split is None
    assert [finding.message for finding in report.findings if finding.code == "leak"] == [
        "case b is held out, but selection case 'a' asks the same"
    ]
    assert "contradict" in report_text(report)
    assert report_json(report)["split"] is None


def test_a_set_with_one_answer_rewards_a_shortcut() -> None:
    cases = tuple(Case(id=str(n), input=word, expected="yes") for n, word in enumerate(WORDS))
    report = evalset_report(EvalSet(name="s", cases=cases))
    assert {"shortcut", "no_guards"} == set(codes(report))
    assert not report.sound


def unchecked(number: int) -> Case:
    return Case(id=f"any{number}", input=f"open question {WORDS[number]}", check=CHECK.validate_python(ANYTHING))


ANYTHING = {"type": "regex", "pattern": ".*"}


def test_checks_that_say_nothing_are_named_and_leave_floor_and_power() -> None:
    contradiction = {"type": "length", "minimum": 3, "maximum": 2}
    more = (unchecked(0), unchecked(1), Case(id="none", input="n", check=CHECK.validate_python(contradiction)))
    plain, report = evalset_report(evalset(12)), evalset_report(evalset(12, *more))
    harness = [finding for finding in report.findings if finding.code == "harness"]
    assert [(finding.severity, finding.case_ids) for finding in harness] == [
        ("warning", ("any0", "any1")), ("warning", ("none",))
    ]  # fmt: skip
    assert harness[0].message.startswith("its check accepts whatever comes out: all 3 different outputs seen, an empty")
    assert all(finding.message.endswith("; a run leaves the case out") for finding in harness)
    assert report.left_out == ("any0", "any1", "none") and report.sound
    assert report.distinct == 15 and plain.held_out_distinct <= report.held_out_distinct <= 8 - 1
    text = report_text(report)
    assert "A run leaves 3 cases out: their checks cannot tell outputs apart." in text
    assert report_json(report)["left_out"] == ["any0", "any1", "none"]


def test_cases_whose_checks_say_nothing_do_not_make_a_set_large_enough() -> None:
    report = evalset_report(evalset(4, *map(unchecked, range(8))))
    assert report.floor == "diagnose only"
    (message,) = [finding.message for finding in report.findings if finding.code == "too_small"]
    assert message.startswith("4 distinct cases that can be checked; below 5 a run stops")


def test_a_shortcut_that_checks_which_accept_nothing_would_hide_is_found() -> None:
    """On all cases one answer scores 60%; on those that count it scores 90%."""
    refusing = CHECK.validate_python({"type": "length", "minimum": 3, "maximum": 2})
    cases = [Case(id=f"y{n}", input=f"{word} asks", expected="yes") for n, word in enumerate(WORDS[:9])]
    cases += [Case(id="no", input="lemon refuses", expected="no", kind="guard")]
    cases += [Case(id=f"n{n}", input=f"{word} says", check=refusing) for n, word in enumerate(WORDS[:5])]
    report = evalset_report(EvalSet(name="s", cases=tuple(cases)))
    (shortcut,) = [finding for finding in report.findings if finding.code == "shortcut"]
    assert shortcut.message.startswith("without the cases it leaves out, the same answer to every case scores 90%")
    assert shortcut.message.endswith("a run would stop after its baseline runs") and not report.sound


def test_an_expected_answer_that_fails_is_told_once() -> None:
    wrong = Case(
        id="wrong", input="w", expected="yes", check=CHECK.validate_python({"type": "regex", "pattern": "^no$"})
    )
    report = evalset_report(evalset(12, wrong))
    assert codes(report) == ["expected_fails"] and report.left_out == ("wrong",)


def test_what_came_out_tells_that_a_check_can_be_passed() -> None:
    seen = Case(id="seen", input="s", expected="yes", observed="no", check=CHECK.validate_python(
        {"type": "regex", "pattern": "^no$"}
    ))  # fmt: skip
    assert evalset_report(evalset(12, seen)).left_out == ()


def test_harder_cases_are_proposed_from_the_set_alone() -> None:
    report = evalset_report(evalset(12))
    assert report.ideas[0].source == "confusion"
    assert report_json(report)["ideas"][0]["text"] == report.ideas[0].text
    assert f"harder case to add: {report.ideas[0].text}" in " ".join(report_text(report).split())


def test_json_has_the_numbers() -> None:
    values: dict[str, Any] = report_json(evalset_report(evalset(40)))
    assert values["split"] == {"selection": 20, "holdout": 20, "report_only": 6}
    assert 0 < values["sees_half"] < values["sees_most"] < 1
    assert report_json(evalset_report(evalset(3)))["sees_half"] is None


def test_the_power_sentence_names_its_assumption() -> None:
    floor = expected_floor(40)
    assert floor is not None
    # The noise of a result that changes one time in five is .1, an edit's unevenness .01, over four runs a side.
    assert floor.sees_half == pytest.approx(2.5 * ((0.01 + 2 * 0.1 / 4) / 40) ** 0.5)
    assert "gains above 10% of all cases (about half the time; gains above 14%" in power_sentence(40)
    assert "one case in five" in power_sentence(40)
    assert "With 10 distinct held-out cases this set can only see gains above 20%" in power_sentence(10)
    assert "With 5 distinct held-out cases this set sees gains from 40% of all cases on" in power_sentence(
        5
    )  # two cases
    assert "cannot confirm" in power_sentence(0)
    assert "cannot tell" in power_sentence(1)
