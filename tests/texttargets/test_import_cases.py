"""From rows to cases: field names, verdicts, ids, duplicates, secrets, and a second import."""

import json
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError
from schemas.evalset import EvalSet
from texttargets.importers.reading import ImportResult, read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"


@pytest.fixture
def rows(tmp_path: Path) -> Any:
    def read(*records: dict[str, Any], name: str = "f.jsonl", **options: Any) -> ImportResult:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return read_failures([path], **options)

    return read


@pytest.mark.parametrize(
    "record",
    [
        {"case_id": "a", "question": "q", "ideal": "e", "completion": "o", "feedback": "w", "labels": ["t"]},
        {"name": "a", "prompt": "q", "expectedOutput": "e", "actual": "o", "Reason": "w", "tags": "t"},
        {"ID": "a", "Query": "q", "reference": "e", "answer": "o", "comment": "w", "Tags": "t; t"},
        {"id": "a", "input": "q", "target": "e", "response": "o", "went wrong": "w", "tags": ["t"], "expected": None},
    ],
)
def test_field_names_as_people_have_them(rows: Any, record: dict[str, Any]) -> None:
    (case,) = rows(record).cases
    assert (case.id, case.input, case.expected, case.observed, case.went_wrong, case.tags) == (
        "a",
        "q",
        "e",
        "o",
        "w",
        ("t",),
    )
    assert case.source == "f.jsonl"


def test_fields_that_are_not_used_are_named(rows: Any) -> None:
    result = rows({"id": "a", "input": "q", "latency": 3}, {"id": "b", "input": "r", "latency": 3})
    assert result.notes == ("f.jsonl: lines 1, 2: field 'latency' is not used",)


@pytest.mark.parametrize(
    ("verdict", "imported"),
    [
        ({"pass": True}, False), ({"passed": "Yes"}, False), ({"success": 1}, False), ({"score": 1.0}, False),
        ({"pass": False}, True), ({"passed": "fail"}, True), ({"score": 0.3}, True), ({"score": 4}, True), ({}, True),
    ],
)  # fmt: skip
def test_a_verdict_says_what_is_a_failure(rows: Any, verdict: dict[str, Any], imported: bool) -> None:
    record = {"id": "a", "input": "q", "output": "o", **verdict}
    assert len(rows(record).cases) == imported
    assert [mention.line for mention in rows(record).skipped] == [] if imported else [1]
    (case,) = rows(record, all_items=True).cases
    assert case.kind == ("failure" if imported else "guard")


def test_an_output_that_is_the_expected_one_is_a_guard(rows: Any) -> None:
    result = rows(
        {"id": "a", "input": "q", "expected": "4", "output": "4\n"},
        {"id": "b", "input": "q", "expected": 4, "output": 5},
    )
    assert [case.kind for case in result.cases] == ["guard", "failure"]
    assert any("taken as a guard" in note for note in result.notes)


def test_values_that_are_no_texts(rows: Any) -> None:
    (case,) = rows({"id": 7.10, "input": {"q": 1.10}, "expected": {"n": [1, None]}, "output": {"é": True}}).cases
    assert (case.id, case.input, case.expected, case.observed) == ("7.1", {"q": 1.1}, {"n": [1, None]}, '{"é": true}')
    assert type(case.input["q"]) is float


def test_numbers_keep_the_way_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"id": 1.10, "input": 5, "expected": 2.50}\n', "utf-8")
    (case,) = read_failures([path]).cases
    assert (case.id, case.input, case.expected) == ("1.10", "5", "2.50")


@pytest.mark.parametrize(("word", "side"), [("train", "selection"), ("held-out", "holdout"), ("dev", None)])
def test_sides_of_a_split(rows: Any, word: str, side: str | None) -> None:
    result = rows({"id": "a", "input": "q", "split": word})
    assert result.cases[0].split == side
    assert bool(result.notes) == (side is None)


def test_blank_ids_are_made_from_the_content_and_stay(rows: Any) -> None:
    first = rows({"id": " ", "input": "q", "output": "x"}, {"input": "r"}).cases
    again = rows({"input": "r"}, {"id": None, "input": "q", "output": "another"})
    assert {case.id for case in first} == {case.id for case in again.cases}
    assert all(case.id.startswith("case-") for case in first)
    assert any("no id; made one from the content" in note for note in again.notes)


def test_two_meanings_of_one_id_are_refused_naming_both_lines() -> None:
    with pytest.raises(InputError, match=r"duplicate id 'dup' on lines 1 and 3 \(different content\)"):
        read_failures([DATA / "duplicates.jsonl"])


def test_renamed_duplicates_are_distinct_and_stable(rows: Any) -> None:
    result = read_failures([DATA / "duplicates.jsonl"], rename_duplicates=True)
    ids = [case.id for case in result.cases]
    assert len(set(ids)) == 3
    assert [entry["lines"] for entry in result.to_json("out.yaml")["merged"]] == [[2, 4]]
    lines = [json.loads(line) for line in (DATA / "duplicates.jsonl").read_text("utf-8").splitlines()]
    again = rows(*reversed(lines), name="duplicates.jsonl", rename_duplicates=True)
    assert sorted(case.id for case in again.cases) == sorted(ids)
    alike = [{"id": "d", "input": "q", "output": "x"}, {"id": "d", "input": "q", "output": "y"}]
    assert len({case.id for case in rows(*alike, rename_duplicates=True).cases}) == 2


def test_one_id_in_two_files(tmp_path: Path) -> None:
    for name, question in (("a.jsonl", "q"), ("b.jsonl", "r")):
        (tmp_path / name).write_text(json.dumps({"id": "x", "input": question}), "utf-8")
    with pytest.raises(InputError, match=r"duplicate id 'x' in a.jsonl line 1 and b.jsonl line 1"):
        read_failures([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])


def test_a_second_import_updates_and_keeps_what_a_person_added(rows: Any) -> None:
    first = rows({"id": "a", "input": "q", "output": "old"}, {"input": "r", "output": "old"}).evalset("s")
    edited = first.model_copy(
        update={"cases": tuple(case.model_copy(update={"expected": "e", "tags": ("t",)}) for case in first.cases)}
    )
    result = rows(
        {"id": "a", "input": "q", "output": "new"},
        {"input": "s"},
        {"id": "n", "input": "n", "output": "o"},
        existing=edited,
    )
    merged = result.evalset("other", edited)
    assert merged.name == "s"
    assert [case.input for case in merged.cases] == ["q", "r", "s", "n"]
    assert (merged.cases[0].observed, merged.cases[0].expected, merged.cases[0].tags) == ("new", "e", ("t",))
    assert rows({"id": "a", "input": "q", "output": "new"}, existing=merged).evalset("s", merged) == merged


def test_an_id_of_another_source_is_not_overwritten(rows: Any) -> None:
    existing = rows({"id": "a", "input": "q"}, name="first.jsonl").evalset("s")
    with pytest.raises(
        InputError, match=r"id 'a' is in the eval set already, with different content from first\.jsonl"
    ):
        rows({"id": "a", "input": "other"}, name="second.jsonl", existing=existing)
    renamed = rows({"id": "a", "input": "other"}, name="second.jsonl", existing=existing, rename_duplicates=True)
    assert len(renamed.evalset("s", existing).cases) == 2


def test_secrets_are_taken_out_and_named_by_line_and_kind(rows: Any) -> None:
    key = "sk-" + "FAKE-ABCDEFGHIJKLMNOP12345678"
    records = [
        {"id": "s1", "input": f"curl -H 'Authorization: Bearer {key}'", "output": "done"},
        {"id": "s2", "input": "my mail is pat@example.com", "output": "AKIA" + "FAKEFAKEFAKE0000 is set"},
        {"id": "s3", "input": "the word monkey and the path /home/key/skeleton", "output": "fine"},
        {"id": key, "input": {"login": {"password": "swordfish"}}},
    ]
    result = rows(*records)
    everything = json.dumps([case.model_dump() for case in result.cases]) + str(result)
    assert "FAKE" not in everything
    assert "swordfish" not in everything
    assert result.cases[1].observed == "[REDACTED] is set"
    assert (result.cases[2].input, result.cases[2].observed) == (records[2]["input"], "fine")
    assert result.cases[3].id.startswith("case-")
    assert [(entry["line"], entry["kind"]) for entry in result.to_json(None)["redacted"]] == [
        (1, "API key"), (2, "AWS key"), (4, "API key"), (4, "password"),
    ]  # fmt: skip
    kept = rows(*records, keep_secrets=True)
    assert key in str(kept.cases[0].input)
    assert kept.redacted == ()


def test_a_secret_goes_wherever_it_stands_and_is_counted_by_kind(rows: Any) -> None:
    result = rows(
        {"id": "a", "input": "is sw0rdfish right?", "output": "sw0rdfish it is", "tags": ["sw0rdfish"]},
        {"id": "b", "input": "my password: sw0rdfish", "output": "ok"},
        {"id": "c", "input": "a swordfish, sw0rdfishes", "check": {"type": "none_of", "values": ["sw0rdfish"]}},
    )
    assert [case.input for case in result.cases] == [
        "is [REDACTED] right?",
        "my password: [REDACTED]",
        "a swordfish, sw0rdfishes",
    ]
    assert (result.cases[0].observed, result.cases[0].tags) == ("[REDACTED] it is", ("[REDACTED]",))
    assert result.cases[2].check.values == ("[REDACTED]",)
    assert result.to_json(None)["redacted_kinds"] == {"secret seen elsewhere": 4, "password": 1}


def test_what_is_said_of_a_file_quotes_no_secret(rows: Any) -> None:
    key = "sk-FAKE-aB3dE5fG7hJ9kL1mN3pQ"
    record = {"id": "a", "input": "q", "score": key, "split": key, key: 1}
    result = rows(record, {"id": "b", "input": "q"})
    assert key not in str(result)
    assert key in str(rows(record, keep_secrets=True).notes)


def test_the_json_account(rows: Any) -> None:
    result = rows({"id": "a", "input": "q", "pass": True}, {"id": "b", "input": "q"})
    assert result.to_json("evals/s.yaml") == {
        "imported": 1,
        "skipped": [{"line": 1, "reason": "passed, so it is no failure (--all takes it as a guard)"}],
        "merged": [],
        "redacted": [],
        "redacted_kinds": {},
        "new": 1,
        "updated": [],
        "kept": [],
        "conflicts": [],
        "out": "evals/s.yaml",
    }


def test_nothing_to_import_is_said(rows: Any) -> None:
    result = rows({"id": "a", "input": "q", "pass": True})
    with pytest.raises(InputError, match="nothing to import: 1 × passed"):
        result.evalset("s")


def test_an_eval_set_can_be_imported(rows: Any, tmp_path: Path) -> None:
    original = rows(
        {"id": "a", "input": "q", "expected": "e", "split": "train", "check": {"type": "normalized"}}
    ).evalset("s")
    path = tmp_path / "set.json"
    path.write_text(json.dumps(original.model_dump(mode="json", by_alias=True)), "utf-8")
    assert EvalSet(name="s", cases=read_failures([path]).cases) == original
