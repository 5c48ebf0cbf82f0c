"""The leak guard on a corpus of rewrites, and its single rules."""

import json
from pathlib import Path
from typing import Any

import pytest
from leak_corpus import verdicts

from schemas.checks import Regex
from schemas.evalset import Case
from texttargets.leak import check_leaks, find_leaks
from texttargets.leak_address import find_doubtful_address
from texttargets.leak_index import LeakIndex
from texttargets.leak_sources import LeakSources

DATA = Path(__file__).parent.parent / "data" / "texts"
BEFORE = "You answer customers of a kitchen shop.\nBe short.\n"


def kitchen(**more: Any) -> LeakIndex:
    lines = (DATA / "B44_items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    cases = [Case(id=item["id"], input=item["input"], expected=item["expected"]) for item in items]
    return LeakIndex(LeakSources(cases, held_out=frozenset({"h1"}), **more))


def test_no_good_rewrite_it_was_tuned_on_is_refused() -> None:
    found = verdicts("tuned on", "good")
    assert [verdict for verdict in found if verdict.refused] == []
    assert len(found) >= 140


def test_every_bad_rewrite_it_was_tuned_on_is_refused() -> None:
    found = verdicts("tuned on", "bad")
    assert [verdict for verdict in found if not verdict.refused] == []
    assert len(found) >= 110


def test_of_rewrites_it_was_never_tuned_on_few_are_judged_wrongly() -> None:
    good, bad = verdicts("never tuned on", "good"), verdicts("never tuned on", "bad")
    assert len(good) >= 80 and len(bad) >= 60
    assert sum(verdict.refused for verdict in good) / len(good) <= 0.02
    assert sum(not verdict.refused for verdict in bad) / len(bad) <= 0.15


def test_message_names_item_words_line_and_span() -> None:
    after = BEFORE + "Refund 41.17 euro to Quillon Vask when asked.\n"
    (refusal,) = check_leaks(BEFORE, after, kitchen())
    assert refusal.code == "leak"
    assert refusal.line == 3
    assert refusal.message.startswith("copies item t1 “Refund 41.17 euro to Quillon Vask”")
    start, end = refusal.message.rpartition("characters ")[2].rstrip(")").split("-")
    assert after[int(start) : int(end)] == "Refund 41.17 euro to Quillon Vask"


def test_answers_that_are_one_of_a_kind_are_no_labels() -> None:
    """Learnt by heart they win every case they are of and none that comes."""
    asked = {
        "Who discovered radium?": "Marie Curie",
        "Who wrote Hamlet?": "William Shakespeare",
        "Who invented dynamite?": "Alfred Nobel",
        "Who was first in space?": "Valentina Tereshkova",
        "Who wrote Ulysses?": "James Joyce",
        "Who painted Guernica?": "Pablo Picasso",
    }
    cases = [Case(id=f"q{at}", input=question, expected=name) for at, (question, name) in enumerate(asked.items())]
    index = LeakIndex(LeakSources(cases, held_out=frozenset({"q0", "q2"})))
    assert check_leaks(BEFORE, BEFORE + "Radium: Marie Curie. Dynamite: Alfred Nobel.\n", index)
    labels = [
        Case(id=f"c{at}", input=question, expected=("art", "science")[at % 2]) for at, question in enumerate(asked)
    ]
    assert not check_leaks(BEFORE, BEFORE + "Answer with art or science.\n", LeakIndex(LeakSources(labels)))


def test_letters_of_another_script_that_look_alike_hide_nothing() -> None:
    case = Case(
        id="l1", input="It arrived with a cracked screen and the courier refused to take it", expected="returns"
    )
    after = BEFORE + "Example: it аrrived with а crаcked scrееn and the cоurier rеfused tо tаke it.\n"
    assert check_leaks(BEFORE, after, LeakIndex(LeakSources([case])))


def test_six_common_words_in_a_row_are_a_quotation() -> None:
    question = "Customer Quillon Vask asks for the blue kettle refund, order 8841"
    alone = [Case(id="t1", input=question, expected="Refund")]
    others = [Case(id=f"t{n}", input=f"Customer asks for a {n}th lid", expected="Refund") for n in range(2, 9)]
    after = BEFORE + "Example: somebody asks for the blue kettle refund.\n"
    for cases in (alone, alone + others):
        (refusal,) = check_leaks(BEFORE, after, LeakIndex(LeakSources(cases)))
        assert refusal.message.startswith("copies item t1 “asks for the blue kettle refund” (line 3")
    stop_words = BEFORE + "Say what a customer asks for and for which of the things.\n"
    assert check_leaks(BEFORE, stop_words, LeakIndex(LeakSources(alone))) == []


def test_held_out_item_is_neither_named_nor_quoted() -> None:
    (refusal,) = check_leaks(BEFORE, BEFORE + "Customer wants to swap a red mug.\n", kitchen())
    assert refusal.message.startswith("copies a held-out item (line 3")
    assert "red mug" not in refusal.message
    assert "h1" not in refusal.message


def test_text_that_stood_there_before_may_be_moved() -> None:
    before = "First rule.\nThe blue kettle refund of 41.17 euro went to Quillon Vask.\nLast rule.\n"
    moved = "First rule.\nLast rule.\nThe blue kettle refund of 41.17 euro went to Quillon Vask.\n"
    assert check_leaks(before, moved, kitchen()) == []


def test_a_person_may_clear_a_phrase() -> None:
    after = BEFORE + "The blue kettle refund of 41.17 euro is the standard example.\n"
    assert check_leaks(BEFORE, after, kitchen())
    assert check_leaks(BEFORE, after, kitchen(), ["blue kettle refund of 41.17 euro"]) == []


def test_cleared_phrase_also_covers_scorer_words_and_patterns() -> None:
    sources = LeakSources([], checks=[Regex(type="regex", pattern=r"^[A-Z]{2}\d+$")])
    index = LeakIndex(sources)
    after = BEFORE + r"Write ids as [A-Z]{2}\d+ please. The judge will read it." + "\n"
    assert [refusal.message.split(" “")[0] for refusal in check_leaks(BEFORE, after, index)] == [
        "copies the check of the eval set",
        "speaks to or about whoever scores the output",
    ]
    assert check_leaks(BEFORE, after, index, [r"[A-Z]{2}\d+", "the judge will"]) == []


def test_label_shared_by_cases_may_be_quoted_however_long() -> None:
    label = "Escalate 2nd level Nordic desk Malmö"
    index = LeakIndex(LeakSources([Case(id=str(n), input=f"ticket {n}", expected=label) for n in range(3)]))
    assert check_leaks(BEFORE, BEFORE + label + "\n", index) == []


def test_words_of_many_cases_count_little() -> None:
    cases = [Case(id=f"n{n}", input=f"Brightwater Looms asks about parcel number {n}") for n in range(10)]
    index = LeakIndex(LeakSources(cases))
    assert check_leaks(BEFORE, BEFORE + "Brightwater Looms asks about many things.\n", index) == []


def test_many_leaks_are_summed_up() -> None:
    cases = [Case(id=f"item{n}", input=f"Xavier{n}b Quorn{n}a wants {n}55{n} buckets of paint") for n in range(9)]
    after = BEFORE + "\n".join(str(case.input) for case in cases) + "\n"
    refusals = check_leaks(BEFORE, after, LeakIndex(LeakSources(cases)))
    assert len(refusals) == 6
    assert refusals[-1].message == "and 4 more"


@pytest.mark.parametrize("size", [100_000])
def test_a_large_text_and_a_large_set_are_no_trouble(size: int) -> None:
    words = ["the", "customer", "asks", "for", "a", "refund", "of", "his", "order", "and", "waits"]
    text = " ".join(words[n * 7 % 11] + (str(n) if n % 13 == 0 else "") for n in range(size // 6))
    cases = [
        Case(id=f"c{n}", input=f"customer {n} asks for item{n}x and the order {n * 37} of a refund")
        for n in range(2000)
    ]
    after = text + "\nitem77x and the order 2849 of a refund\n"
    leaks = find_leaks(text, after, LeakIndex(LeakSources(cases)))
    assert [leak.what for leak in leaks] == ["copies item c77"]


def test_words_of_scoring_that_are_of_the_work_are_left_to_a_person() -> None:
    """What cases speak of, and what a checker of the work is called, is refused nowhere."""
    cases = [Case(id="d1", input="The judge will read my letter, will she not?", expected="court")]
    added = BEFORE + "The judge will read such letters herself.\n"
    assert check_leaks(BEFORE, added, LeakIndex(LeakSources(cases))) == []
    assert check_leaks(BEFORE, added, LeakIndex(LeakSources()))
    doubtful = BEFORE + "The output is evaluated by a parser of JSON.\n"
    assert check_leaks(BEFORE, doubtful, LeakIndex(LeakSources())) == []
    place = next(find_doubtful_address(BEFORE, doubtful))
    assert doubtful[slice(*place)] == "The output is evaluated"
    assert list(find_doubtful_address(doubtful, doubtful + "Be kind.\n")) == []


def test_a_sum_learnt_by_heart_is_refused_and_a_held_out_one_is_not_named() -> None:
    sums = {"17 times 23": "391", "13 times 29": "377", "31 times 37": "1147", "41 times 43": "1763"}
    cases = [
        Case(id=f"n{at}", input=f"What is {sum_}?", expected=value) for at, (sum_, value) in enumerate(sums.items())
    ]
    index = LeakIndex(LeakSources(cases, held_out=frozenset({"n2"})))
    after = BEFORE + "Note that 17x23 is 391.\nAnd 31x37 is 1147.\n"
    own, held_out = check_leaks(BEFORE, after, index)
    assert own.message.startswith("copies item n0 “391” (line 3")
    assert held_out.message.startswith("copies a held-out item (line 4")
    assert check_leaks(BEFORE, after, index, ["17x23 is 391", "31x37 is 1147"]) == []
    assert check_leaks(BEFORE, BEFORE + "Answer in at most 391 letters.\n", index) == []


def test_a_class_needs_cases_that_repeat_it() -> None:
    """One-off values are labels where the others repeat and are written alike."""
    repeated = ["Nordic Desk", "Alpine Desk"] * 4
    cases = [Case(id=f"c{at}", input=f"letter {at}", expected=value) for at, value in enumerate(repeated)]
    once = Case(id="x", input="Who signs the letters?", expected="Hanne Tofte")
    assert "hanne tofte" in LeakSources([*cases, once]).labels()
    lower = [Case(id=f"c{at}", input=f"letter {at}", expected=("art", "trade")[at % 2]) for at in range(8)]
    assert LeakSources([*lower, once]).labels() == {"art", "trade"}
    assert LeakSources([once, *cases[:1]]).labels() == frozenset()
