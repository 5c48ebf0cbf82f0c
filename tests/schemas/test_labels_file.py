"""The labels file: read strictly, written so that it reads back, merged without doubles."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceopt_tui.errors import InputError
from schemas.json_schema import json_schema
from schemas.labels import Binding, LabelEntry, Labels, bound_labels, merged_labels
from schemas.labels_file import labels_yaml, load_labels
from schemas.loading import parse

BOUND = Binding("sha256:aa", "openai/judge-1")
ONE = LabelEntry(input="in", output="out", person=4, judge=(4.0, 3.5), reason="clear", at="2026-01-01T00:00:00Z")

WRITTEN = """\
version: 1
rubric_digest: "sha256:aa"
judge_model: openai/judge-1
labels:
  - input: in
    output: out
    person: 4
    judge: [4, 3.5]
  - input: in
    output: "007"
    person: 2
    judge: []
"""


def read(text: str) -> Labels:
    return parse(Labels, text.encode(), "labels.yaml")


def problem(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    assert len(caught.value.problems) == 1
    return str(caught.value.problems[0])


def test_a_file_is_read_as_written() -> None:
    labels = read(WRITTEN)
    assert labels.binding == BOUND
    assert [(label.output, label.person, label.judge) for label in labels.labels] == [
        ("out", 4.0, (4.0, 3.5)),
        ("007", 2.0, ()),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("person: 2", "person: two", "labels.yaml:11: labels[1].person: must be a number, not two"),
        ("person: 2", "persn: 2", "did you mean `person`?"),
        ("version: 1", "version: 2", "labels.yaml:1: version: must be 1; this ceopt cannot read version 2"),
        ('"007"', "out", "labels.yaml:4: labels: entries 1 and 2 are of the same output; delete one"),
        ("judge: []", "judge: [4/5]", "must be a number, not 4/5"),
        ("judge_model: openai/judge-1\n", "", "judge_model: is required and missing"),
        ('"sha256:aa"', '" "', "rubric_digest: must not be blank"),
    ],
)
def test_faults_are_named_with_file_line_and_key(old: str, new: str, said: str) -> None:
    assert old in WRITTEN
    assert said in _all(WRITTEN.replace(old, new, 1))


def _all(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    return "\n".join(str(one) for one in caught.value.problems)


def test_one_fault_is_one_problem() -> None:
    assert problem(WRITTEN.replace("person: 4", "person: .nan")).startswith("labels.yaml:7: labels[0].person")


def test_the_file_is_found_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(WRITTEN, "utf-8")
    assert load_labels(file) == read(WRITTEN)
    with pytest.raises(InputError, match="cannot be read"):
        load_labels(tmp_path / "missing.yaml")


def test_a_written_file_says_what_it_is_and_keeps_whole_scores_whole() -> None:
    text = labels_yaml(bound_labels(BOUND, [ONE]))
    assert text.startswith("# A person's scores")
    assert "person: 4\n" in text
    assert "judge: [4, 3.5]" in text
    assert "expected" not in text


awkward = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
scores = st.floats(-10, 10, allow_nan=False).map(lambda value: round(value, 3))
entries = st.builds(
    LabelEntry,
    input=awkward,
    output=awkward,
    expected=st.none() | awkward,
    person=scores,
    judge=st.lists(scores, max_size=4).map(tuple),
    reason=awkward,
    judge_reason=awkward,
)


@settings(deadline=None)
@given(st.lists(entries, max_size=4))
def test_what_is_written_reads_back(given_entries: list[LabelEntry]) -> None:
    labels = bound_labels(BOUND, given_entries)
    assert read(labels_yaml(labels)) == labels


def test_texts_that_look_like_other_things_come_back() -> None:
    odd = ["null", "~", "", "1.0", "yes", "2026-01-01", "a: b\n- c\n", "  lead\n", "#x", "\u202eevil", "{x}", "*a"]
    labels = bound_labels(BOUND, [LabelEntry(input="i", output=text, person=1, judge=(1,)) for text in odd])
    assert [label.output for label in read(labels_yaml(labels)).labels] == odd


def test_the_later_score_of_one_output_counts() -> None:
    later = ONE.model_copy(update={"person": 2.0, "at": "2026-01-02T00:00:00Z"})
    assert bound_labels(BOUND, [later, ONE]).labels == (later,)
    assert bound_labels(BOUND, [ONE, later]).labels == (later,)
    same_time = ONE.model_copy(update={"person": 1.0})
    assert bound_labels(BOUND, [ONE, same_time]).labels == (same_time,)


def test_merging_keeps_each_output_once() -> None:
    other = ONE.model_copy(update={"output": "another"})
    merged = merged_labels(bound_labels(BOUND, [ONE]), bound_labels(BOUND, [ONE, other]))
    assert merged.labels == (ONE, other)


@pytest.mark.parametrize("binding", [Binding("sha256:bb", BOUND.judge_model), Binding(BOUND.rubric_digest, "other")])
def test_labels_of_another_rubric_or_judge_do_not_mix(binding: Binding) -> None:
    with pytest.raises(ValueError, match="do not mix"):
        merged_labels(bound_labels(BOUND, [ONE]), bound_labels(binding, [ONE]))


def test_editors_get_a_schema() -> None:
    schema = json_schema("labels")
    assert set(schema["required"]) == {"version", "rubric_digest", "judge_model"}
    assert schema["$defs"]["LabelEntry"]["properties"]["person"]["description"] == "The person's score."
