"""Whatever a file is made of, an edit changes what it says it changes: every byte outside it stays."""

import re
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from texttargets.edits import Edit, SectionEdit, apply_edits
from texttargets.rules import split_rules, without_rules
from texttargets.sections import find_sections
from texttargets.target_file import decode_text

ODD = [*"ab -#`|\t\n\x0c\x0b\x85\u2028\u2029\u00a0\ufeffé日😀\u0301", "\r\n", "\r\n", "\r"]
LINE_ENDS = ("\n", "\r\n", "\r")
TAILS = ("", "", "", "  ", "\t", " \t ", "\x0c", "\u2028", "\u3000")
WORDS = ("rule", "queue", "Größe", "日本語", "😀", "\tindent", "{x}", "a\u2028b", "“quote”", "x\x0cy", "`code`", "***")
LARGE = 100_000


def texts(pieces: list[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=most).map("".join)


def seen(text: str) -> str:
    """The text as a model is shown it."""
    return text.replace("\r\n", "\n").replace("\ufeff", "")


def clean_cut(text: str, at: int) -> bool:
    """Whether an edit may begin or end here: not inside a CRLF, and not where the mark stands."""
    return text[at - 1 : at + 1] != "\r\n" and "\ufeff" not in (text[at - 1 : at], text[at : at + 1])


def large_file(random: Random, ends: tuple[str, ...], size: int = LARGE) -> str:
    """A Markdown file of about `size` bytes as no editor would leave it; lines that matter carry a number."""
    lines, length = [random.choice(("", "\ufeff"))], 0
    for number in range(size):
        words = " ".join(random.choices(WORDS, k=random.randint(1, 6)))
        kind = random.randint(0, 19)
        if kind == 0:
            line = f"## Section {number}"
        elif kind == 1:
            line = f"```{random.choice(ends)}{words} # {number}{random.choice(ends)}```"
        elif kind < 5:
            line = ""
        else:
            line = f"{random.choice(('- ', '1. ', '', '  - ', '> '))}line {number}: {words}"
        lines.append(line + random.choice(TAILS) + random.choice(ends))
        length += len(lines[-1].encode())
        if length >= size:
            break
    return "".join(lines) + random.choice(("", "last line without an end"))


def span_of_its_own(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, widened until its words occur once and nothing that belongs together is cut."""
    while start > 0 and not clean_cut(text, start):
        start -= 1
    while end < len(text) and not clean_cut(text, end):
        end += 1
    search, whole = seen(text[start:end]), seen(text)
    once = search and whole.find(search, whole.find(search) + 1) < 0
    return (start, end) if once else (0, len(text))


@given(texts(ODD, 30), texts(ODD[:-1], 10), st.data())
@settings(max_examples=200)
def test_any_span_of_any_text(drawn: str, replace: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(("", "\ufeff"))) + f"x{drawn}".replace("\r\ufeff", "\r")
    start = data.draw(st.integers(0, len(text)))
    start, end = span_of_its_own(text, start, data.draw(st.integers(start, len(text))))
    after = apply_edits({"p": text}, [Edit(text[start:end], replace)])["p"]
    assert after.startswith(text[:start]) and after.endswith(text[end:])
    assert seen(after[start : len(after) - len(text) + end]) == seen(replace)


@given(st.integers(0, 2**32), st.sets(st.sampled_from(LINE_ENDS), min_size=1), st.integers(1, 4))
@settings(max_examples=8, deadline=None)
def test_edits_of_a_large_file(seed: int, ends: set[str], count: int) -> None:
    random = Random(seed)
    text = large_file(random, tuple(sorted(ends)))
    assert decode_text(text.encode(), "p") == text
    marks = random.sample(re.findall(r"line (\d+): ", text), count)
    edits = [Edit(f"line {mark}: ", random.choice((f"line {mark}, ", "", "two\nlines ", "日\t "))) for mark in marks]
    after = apply_edits({"p": text, "q": "other"}, edits)
    expected = text
    for edit in edits:
        line_end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        expected = expected.replace(edit.search, edit.replace.replace("\n", line_end))
    assert after == {"p": expected, "q": "other"}


@given(st.integers(0, 2**32), st.sets(st.sampled_from(LINE_ENDS), min_size=1))
@settings(max_examples=8, deadline=None)
def test_a_section_of_a_large_file(seed: int, ends: set[str]) -> None:
    random = Random(seed)
    text = large_file(random, tuple(sorted(ends)))
    rules = split_rules(text)
    assert "".join(rule.text for rule in rules) == text
    assert [(rule.start, rule.end) for rule in rules if text[rule.start : rule.end] != rule.text] == []
    wanted = random.choice([rule for rule in rules if rule.kind in ("heading", "list_item", "paragraph")])
    places = find_sections(seen(text), wanted.id)
    assume(len(places) == 1)
    after = apply_edits({"p": text}, [SectionEdit(wanted.id, "- a rule\nof two lines")])["p"]
    head, tail = text[: wanted.start], text[wanted.start + wanted.text.index(wanted.content) + len(wanted.content) :]
    assert after.startswith(head) and after.endswith(tail)
    assert seen(after[len(head) : len(after) - len(tail)]).strip() == "- a rule\nof two lines"


@given(st.integers(0, 2**32), st.sets(st.sampled_from(LINE_ENDS), min_size=1))
@settings(max_examples=8, deadline=None)
def test_rules_taken_out_of_a_large_file_leave_the_rest(seed: int, ends: set[str]) -> None:
    random = Random(seed)
    text = large_file(random, tuple(sorted(ends)))
    rules = split_rules(text)
    gone = {rule.id for rule in random.sample(rules, min(5, len(rules)))}
    kept = "".join(rule.text for rule in rules if rule.id not in gone)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    assert without_rules(text, gone) == mark + kept.removeprefix("\ufeff")
