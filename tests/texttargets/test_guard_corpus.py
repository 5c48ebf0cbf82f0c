"""The guards on a corpus of whole rewrites: good ones pass, bad ones are refused by the guard that is for them."""

from guard_corpus import judged


def test_every_rewrite_they_were_tuned_on_is_judged_rightly() -> None:
    found = judged("tuned on")
    assert [one for one in found if one.is_wrong] == []
    assert sum(not one.wanted for one in found) >= 30 and sum(bool(one.wanted) for one in found) >= 40


def test_of_rewrites_they_were_never_tuned_on_few_are_judged_wrongly() -> None:
    found = judged("never tuned on")
    good, bad = [one for one in found if not one.wanted], [one for one in found if one.wanted]
    assert len(good) >= 30 and len(bad) >= 50
    assert sum(one.is_wrong for one in good) / len(good) <= 0.03
    assert sum(one.is_wrong for one in bad) / len(bad) <= 0.12
