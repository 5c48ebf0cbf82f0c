"""Every file that the field gave us, imported in place: its cases, or a refusal that says what is wrong and where."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ceopt_tui.commands.import_ import command
from ceopt_tui.errors import InputError
from texttargets.importers.reading import read_failures

FIELD = Path(__file__).parents[3] / "shared" / "cases" / "field"

# Ids of the cases of each file that holds records.
TAKEN: dict[str, Sequence[str]] = {
    "B10_items.jsonl": ["i1", "i2", "i3", "i4"],
    "B21_a.csv": ["007", "010", "r3"],
    "B21_big.csv": ["big"],
    "B25_openai.jsonl": ["o1", "o2", "o3"],
    "B26.jsonl": ["s1", "s2", "s3"],
    "B27_item.json": ["p1"],
    "B37.jsonl": [f"m{n}" for n in range(12)],
    "B40.jsonl": ["wide", "rtl", "long"],
    "B44_items.jsonl": ["t1", "t2", "h1"],
}
# What is said of each file that is refused.
REFUSED: dict[str, Sequence[str]] = {
    "B14_replies.jsonl": ["B14_replies.jsonl:1: no input", "B14_replies.jsonl:11: no input"],
    "B15_replies.jsonl": ["B15_replies.jsonl:1: no input", "B15_replies.jsonl:13: no input"],
    "B19_scores.json": ["one JSON object with the keys baseline, candidate, expect"],
    "B21_b.csv": ["not UTF-8: byte 0xE9 at 24", "--encoding cp1252"],
    "B21_c.csv": ["B21_c.csv:3: one cell too many", "B21_c.csv:4: 2 cells too few"],
    "B23.jsonl": ["duplicate id 'dup' on lines 1 and 3 (different content)"],
    "B32_bomb.yaml": ["aliases"],
    "B32_brace.yaml": ["no list of records"],
    "B32_dup.yaml": ["no list of records"],
    "B32_tab.yaml": ["B32_tab.yaml:2: not YAML"],
    "B45_scores.json": ["one JSON object with the keys ceiling, constant, half"],
}
# Texts and programs: no records at all.
OTHERS = ("cannot tell the format: it is text that begins with",)


def field_files() -> list[Path]:
    return sorted(FIELD.iterdir()) if FIELD.is_dir() else []


@pytest.mark.skipif(not FIELD.is_dir(), reason="the files of the field are not here")
@pytest.mark.parametrize("path", field_files(), ids=lambda path: path.name)
def test_every_file_gives_its_cases_or_a_reason(path: Path) -> None:
    if path.name in ("B25_promptfoo.json", "B25_langfuse.json", "B25_claude.jsonl"):
        return  # tests of their own below
    if path.name in TAKEN:
        assert [case.id for case in read_failures([path]).cases] == TAKEN[path.name]
        return
    with pytest.raises(InputError) as caught:
        read_failures([path]).evalset("s")
    said = str(caught.value)
    for words in REFUSED.get(path.name, OTHERS):
        assert words in said


def read(name: str, **options: Any) -> Any:
    path = FIELD / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    return read_failures([path], **options)


def test_the_spreadsheet() -> None:
    first, second, third = read("B21_a.csv").cases
    assert first.input == 'line one\r\nline "two"'
    assert (first.expected, second.expected, third.expected) == ("ok", None, "=1+1")
    assert [case.input for case in read("B21_b.csv", encoding="cp1252").cases] == ["Café à 5 €", "a;b"]
    assert [len(case.input) for case in read("B21_big.csv").cases] == [200_000]
    assert [case.id for case in read("B21_c.csv", skip_bad=True).cases] == ["1"]


def test_doubled_ids() -> None:
    result = read("B23.jsonl", rename_duplicates=True)
    assert len({case.id for case in result.cases}) == 3
    assert [merged.places for merged in result.merged] == [(("B23.jsonl", 2), ("B23.jsonl", 4))]


def test_the_promptfoo_results() -> None:
    result = read("B25_promptfoo.json")
    assert [case.observed for case in result.cases] == ["Water.", '{"city": "Bonn", "ok": null}']
    assert result.cases[0].went_wrong == "Too terse"
    assert any("test 2: provider error, not imported" in mention.text for mention in result.skipped)


def test_the_chat_log() -> None:
    first, second, third = read("B25_openai.jsonl").cases
    assert (first.observed, third.observed) == ("3 degrees", "I can't do that")
    assert '[calls w {"city": "Oslo"}]' in first.input
    assert "[image left out]" in second.input


def test_the_traces() -> None:
    result = read("B25_langfuse.json")
    assert [(case.id, case.observed) for case in result.cases] == [("t1", "hi there"), ("t3", "yo")]
    assert result.cases[0].input == "hello"
    assert ["no input or output in the export" in mention.text for mention in result.skipped] == [True]


def test_the_session() -> None:
    (case,) = read("B25_claude.jsonl").cases
    assert (case.observed, case.went_wrong) == ("There are two files.", "No, there are three.")


def test_secrets_are_taken_out() -> None:
    result = read("B26.jsonl")
    assert [(mention.line, mention.text) for mention in result.redacted] == [(1, "API key"), (2, "AWS key")]
    assert "FAKE" not in str(result)
    assert (result.cases[2].input, result.cases[2].observed) == (
        "the word monkey and the path /home/key/skeleton",
        "fine",
    )


def test_sides_and_templates() -> None:
    assert [case.split for case in read("B44_items.jsonl").cases] == ["selection", "selection", "holdout"]
    assert read("B27_item.json").cases[0].input == {"question": "What do {x}, {{y}} and {# z mean?"}


@pytest.mark.skipif(not FIELD.is_dir(), reason="the files of the field are not here")
def test_the_command_ends_with_nothing_written_when_a_file_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "evals.yaml"
    files = [str(FIELD / "B10_items.jsonl"), str(FIELD / "B21_c.csv")]
    result = CliRunner().invoke(command, [*files, "--out", str(out)])
    assert isinstance(result.exception, InputError)
    assert not out.exists()
    assert CliRunner().invoke(command, [*files, "--out", str(out), "--skip-bad"]).exit_code == 0
    assert out.read_text("utf-8").count("- id:") == 5
