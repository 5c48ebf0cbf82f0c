"""Changed cases written into an eval set's text: all other bytes stay, and what is written reads back."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.evalset_text import Entry, rewritten
from schemas.evalset import Case, EvalSet
from schemas.loading import LoadedEvalSet, load_evalset, parse

SOURCE = """\
# Where a message belongs.
name: triage
check: {type: all, checks: [{type: exact}]}
cases:
  # returns
  - id: a   # the first
    input: |
      foo
      bar

    expected: x  # yes
    # inside a
  # before b
  - id: b
    input: >-
      long
      text
    expected: ok

  - {id: c, input: "é中 x", expected: y}
  -
    id: d
    input: 'it''s
      two'
    expected: |+
      keep

    tags:
    - a
    - b  # t
    # behind d
  - input: {q: 1, z: [a, "b"]}
    id: e
    expected: z # e

  - id: f
    observed:
    expected: "q"
    input: |+
      last

# end
"""
TEXTS = (
    "x", "two words", "a\nb", "a\n\nb\n", "end\n\n", "\n\n", " lead\n x", "trail ", "# no comment", "a: b", "中文\n字",
    "007", "null", "- x", "\t tab\nz", "x\u2028y", "'q'", '"dq" \\ \n back\\', "é" * 200, "", "a\rb", "~",
)  # fmt: skip


def loaded(folder: Path, text: str) -> LoadedEvalSet:
    path = folder / "cases.yaml"
    path.write_bytes(text.encode("utf-8"))
    return load_evalset(path)


def entries(evalset: LoadedEvalSet) -> list[Entry]:
    return [Entry(case, place) for place, case in enumerate(evalset.evalset.cases)]


def changed(evalset: LoadedEvalSet, case_id: str, **values: Any) -> str:
    """The text with one case changed, which must be all that was touched."""
    new = [
        Entry(entry.case.model_copy(update=values), entry.origin) if entry.case.id == case_id else entry
        for entry in entries(evalset)
    ]
    raw, kept = rewritten(evalset, new)
    assert kept
    return raw.decode("utf-8")


def test_nothing_changed_is_nothing_written(tmp_path: Path) -> None:
    for text in (SOURCE, SOURCE.replace("\n", "\r\n"), f"\ufeff{SOURCE}"):
        evalset = loaded(tmp_path, text)
        assert rewritten(evalset, entries(evalset)) == (evalset.raw, True)


def test_a_changed_field_is_all_that_changes(tmp_path: Path) -> None:
    evalset = loaded(tmp_path, SOURCE)
    assert changed(evalset, "a", expected="other") == SOURCE.replace("expected: x  # yes", "expected: other  # yes")
    assert changed(evalset, "a", input="one line") == SOURCE.replace(
        "input: |\n      foo\n      bar\n", "input: one line\n"
    )
    assert changed(evalset, "b", input="two\nlines") == SOURCE.replace(
        "input: >-\n      long\n      text\n", "input: |-\n      two\n      lines\n"
    )


def test_a_comment_stays_behind_a_value_that_grows_to_several_lines(tmp_path: Path) -> None:
    written = changed(loaded(tmp_path, SOURCE), "a", expected="two\nlines")
    assert "    expected: |-  # yes\n      two\n      lines\n    # inside a\n" in written


def test_fields_come_and_go_in_reading_order(tmp_path: Path) -> None:
    evalset = loaded(tmp_path, SOURCE)
    assert changed(evalset, "a", went_wrong="why", kind="guard") == SOURCE.replace(
        "expected: x  # yes\n", "expected: x  # yes\n    went_wrong: why\n    kind: guard\n"
    )
    assert changed(evalset, "d", tags=()) == SOURCE.replace("    tags:\n    - a\n    - b  # t\n", "")
    assert changed(evalset, "f", expected=None) == SOURCE.replace('    expected: "q"\n', "")


def test_a_case_in_braces_becomes_a_block_of_its_own(tmp_path: Path) -> None:
    written = changed(loaded(tmp_path, SOURCE), "c", observed="nothing")
    block = '  - id: c\n    input: é中 x\n    expected: "y"\n    observed: nothing\n'
    assert written == SOURCE.replace('  - {id: c, input: "é中 x", expected: y}\n', block)


def test_a_case_that_goes_leaves_the_comments_around_it(tmp_path: Path) -> None:
    evalset = loaded(tmp_path, SOURCE)
    raw, kept = rewritten(evalset, [entry for entry in entries(evalset) if entry.case.id != "b"])
    gone = "  - id: b\n    input: >-\n      long\n      text\n    expected: ok\n"
    assert kept and raw.decode("utf-8") == SOURCE.replace(gone, "")


def test_a_new_case_stands_last_with_the_gap_the_file_has(tmp_path: Path) -> None:
    text = "name: t\ncases:\n- id: a\n  input: x\n  expected: y\n\n- id: b\n  input: z\n  expected: y"
    evalset = loaded(tmp_path, text)
    raw, kept = rewritten(evalset, [*entries(evalset), Entry(Case(id="new", input="中\n文", expected="yes!"))])
    assert kept
    assert raw.decode("utf-8") == f"{text}\n\n- id: new\n  input: |-\n    中\n    文\n  expected: yes!\n"


def test_json_stays_json(tmp_path: Path) -> None:
    cases = [{"id": name, "input": f"ask {name}", "expected": "e"} for name in "abc"]
    evalset = loaded(tmp_path, json.dumps({"name": "t", "cases": cases}, indent=1))
    left = [entry for entry in entries(evalset) if entry.case.id != "b"]
    raw, kept = rewritten(evalset, [*left, Entry(Case(id="n", input="line\u2028end", expected="\x85"))])
    assert kept
    assert [case["id"] for case in json.loads(raw)["cases"]] == ["a", "c", "n"]


def test_a_form_that_cannot_be_edited_is_written_anew_and_says_so(tmp_path: Path) -> None:
    evalset = loaded(tmp_path, "name: t\ncases: [{id: a, input: x, expected: y}]\n")
    raw, kept = rewritten(evalset, [Entry(Case(id="n", input="new", expected="y"))])
    assert not kept and parse(EvalSet, raw, "t").cases[0].id == "n"


def _variant(draw: random.Random) -> str:
    text = SOURCE
    kind = draw.choice(("plain", "crlf", "mark", "no end", "dashes at the edge", "json"))
    if kind == "json":
        cases = [{"id": name, "input": f"q{name}", "expected": "e"} for name in "abcdef"]
        return json.dumps({"name": "t", "cases": cases}, indent=draw.choice((None, 1)))
    if kind == "no end":
        return text.removesuffix("\n# end\n").replace("\n    input: |+\n      last\n", "\n    input: last")
    if kind == "dashes at the edge":
        return "\n".join(line.removeprefix("  ") for line in text.split("\n"))
    return {"crlf": text.replace("\n", "\r\n"), "mark": f"\ufeff{text}"}.get(kind, text)


def _edited(draw: random.Random, before: Sequence[Entry]) -> list[Entry]:
    after = list(before)
    for number in range(draw.randint(1, 4)):
        place = draw.randrange(len(after))
        deed = draw.random()
        if deed < 0.6:
            values = {
                "input": draw.choice(TEXTS),
                "expected": draw.choice((*TEXTS, None)),
                "observed": draw.choice((*TEXTS, None)),
                "went_wrong": draw.choice((*TEXTS, None)),
                "tags": draw.choice(((), ("a",), ("a b", "中"))),
                "kind": draw.choice(("failure", "guard")),
                "split": draw.choice((None, "selection", "holdout")),
            }
            some = {name: values[name] for name in draw.sample(sorted(values), draw.randint(1, 3))}
            after[place] = Entry(after[place].case.model_copy(update=some), after[place].origin)
        elif deed < 0.8 and sum(entry.origin is not None for entry in after) > 1:
            after.pop(place)
        else:
            after.append(Entry(Case(id=f"new-{number}", input=draw.choice(TEXTS), expected=draw.choice(TEXTS))))
    return after


@pytest.mark.parametrize("seed", range(150))
def test_whatever_is_changed_reads_back_and_no_comment_is_lost(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    evalset = loaded(tmp_path, _variant(draw))
    after = _edited(draw, entries(evalset))
    if not any(entry.origin is not None for entry in after):
        after += entries(evalset)[:1]
    raw, kept = rewritten(evalset, after)
    old = sorted((entry for entry in after if entry.origin is not None), key=lambda entry: entry.origin or 0)
    wanted = [*old, *(entry for entry in after if entry.origin is None)]
    assert kept
    assert parse(EvalSet, raw, "t").cases == tuple(entry.case for entry in wanted)
    if evalset.raw.lstrip(b"\xef\xbb\xbf").startswith(b"#"):
        assert all(note in raw for note in (b"# Where a message", b"# returns", b"# before b"))
    assert (b"\r\n" in raw) == (b"\r\n" in evalset.raw)
    untouched = {entry.case.id for entry in old if entry.case == evalset.evalset.cases[entry.origin or 0]}
    for case_id, block in BLOCKS.items():
        if case_id in untouched and b"\r" not in evalset.raw and block.encode("utf-8") in evalset.raw:
            assert block.encode("utf-8") in raw


BLOCKS = {
    "a": "  - id: a   # the first\n    input: |\n      foo\n      bar\n\n    expected: x  # yes\n",
    "d": "    id: d\n    input: 'it''s\n      two'\n    expected: |+\n      keep\n\n    tags:\n    - a\n    - b  # t\n",
    "e": '  - input: {q: 1, z: [a, "b"]}\n    id: e\n    expected: z # e\n',
}
