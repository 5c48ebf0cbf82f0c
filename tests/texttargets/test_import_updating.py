"""A second import: what the source changed comes in, what a person changed stays, what both changed is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ceopt_tui.commands.import_ import command
from ceopt_tui.errors import InputError
from schemas.evalset import Case
from schemas.loading import load_evalset
from texttargets.importers.updating import as_recorded, brought_up_to_date

RECORD = {"id": "a1", "input": "Refund?", "expected": "billing", "output": "returns", "note": "wrong queue"}
HAND = """\
# Kept by hand.
name: triage
cases:
  # the odd one
  - id: a1
    input: 'Refund?'
    expected: "returns"  # ask Ana
    observed: returns
    kind: guard
    went_wrong: >-
      Ana says it is
      the other queue
    source: log.jsonl
"""


def imported(tmp_path: Path, *options: str, **changes: Any) -> Result:
    """The log with these changes, imported into the set."""
    (tmp_path / "log.jsonl").write_text(json.dumps({**RECORD, **changes}), "utf-8")
    arguments = [str(tmp_path / "log.jsonl"), "--out", str(tmp_path / "set.yaml"), *options]
    result = CliRunner().invoke(command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit | InputError), result.exception
    return result


def by_hand(tmp_path: Path, source_of_digests: Path) -> bytes:
    """The set after a person has worked on it: other values, order, quotes and comments, the digests as they were."""
    (case,) = load_evalset(source_of_digests).evalset.cases
    text = f"{HAND}    as_imported: {case.as_imported}\n# the end\n".replace("\n", "\r\n")
    source_of_digests.write_bytes(text.encode())
    return text.encode()


def test_hand_work_survives_the_same_source_byte_for_byte(tmp_path: Path) -> None:
    imported(tmp_path)
    before = by_hand(tmp_path, tmp_path / "set.yaml")
    result = imported(tmp_path)
    assert (tmp_path / "set.yaml").read_bytes() == before
    assert "kept 'a1': your expected, went_wrong, kind" in result.stderr
    assert "0 new, 0 brought up to date, 1 as before" in result.stderr


def test_news_of_the_source_come_in_beside_hand_work(tmp_path: Path) -> None:
    imported(tmp_path)
    before = by_hand(tmp_path, tmp_path / "set.yaml").decode()
    result = imported(tmp_path, output="shipping")
    after = (tmp_path / "set.yaml").read_bytes().decode()
    changed = [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert [line.split(":")[0].strip() for line in changed] == ["observed", "as_imported"]
    assert "updated 'a1': observed" in result.stderr


def test_what_both_changed_is_named_until_it_is_settled(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    imported(tmp_path)
    before = by_hand(tmp_path, path)
    for _ in range(2):
        result = imported(tmp_path, expected="sales")
        assert "conflict 'a1': expected changed in the set and in its source; yours stays" in result.stderr
        assert path.read_bytes() == before
    assert "conflict" not in imported(tmp_path, "--keep-mine", expected="sales").stderr
    assert "conflict" not in imported(tmp_path, expected="sales").stderr
    assert load_evalset(path).evalset.cases[0].expected == "returns"


def test_the_source_can_be_taken_where_both_changed(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    imported(tmp_path)
    by_hand(tmp_path, path)
    result = imported(tmp_path, "--take-source", "--json", expected="sales")
    (case,) = load_evalset(path).evalset.cases
    assert (case.expected, case.kind) == ("sales", "guard")  # the kind only the person changed
    assert json.loads(result.stdout)["updated"] == [{"id": "a1", "fields": ["expected"]}]
    assert b"# the odd one" in path.read_bytes()
    assert imported(tmp_path, "--take-source", "--keep-mine").exit_code == 2


def test_a_set_without_digests_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(HAND, "utf-8")
    result = imported(tmp_path)
    assert (tmp_path / "set.yaml").read_text("utf-8") == HAND
    assert {line.split()[2] for line in result.stderr.splitlines() if line.startswith("conflict")} == {
        "expected", "went_wrong", "kind",
    }  # fmt: skip


def test_an_input_that_was_mended_by_hand_is_still_its_record(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"input": "Refnud?", "expected": "billing"}', "utf-8")
    out = tmp_path / "set.yaml"
    arguments = [str(tmp_path / "log.jsonl"), "--out", str(out)]
    CliRunner().invoke(command, arguments)
    out.write_text(out.read_text("utf-8").replace("Refnud?", "Refund?"), "utf-8")
    (tmp_path / "log.jsonl").write_text('{"input": "Refnud?", "expected": "returns"}', "utf-8")
    CliRunner().invoke(command, arguments)
    (case,) = load_evalset(out).evalset.cases
    assert (case.input, case.expected) == ("Refund?", "returns")


@pytest.mark.parametrize(
    ("recorded", "mine", "now", "what"),
    [
        ({}, {}, {"tags": ("x",)}, "taken"),
        ({"tags": ("x",)}, {"tags": ()}, {"tags": ("x",)}, "kept"),  # a person took them away
        ({"tags": ("x",)}, {"tags": ()}, {"tags": ("y",)}, "conflicts"),
        ({"tags": ("x",)}, {"tags": ("x",)}, {}, ""),  # the record fell silent
        ({}, {"tags": ("y",)}, {"tags": ("y",)}, ""),
        ({"kind": "guard"}, {"kind": "guard"}, {"kind": "failure"}, "taken"),
        ({}, {"kind": "guard"}, {"kind": "failure"}, "kept"),
        ({"split": "holdout"}, {"split": "selection"}, {"split": "holdout"}, "kept"),
        ({"expected": ""}, {"expected": "e"}, {"expected": ""}, "kept"),
        ({"expected": {"b": 1, "a": 2}}, {"expected": {"a": 2, "b": 1}}, {"expected": {"b": 1, "a": 2}}, ""),
    ],
)
def test_the_rule_field_by_field(
    recorded: dict[str, Any], mine: dict[str, Any], now: dict[str, Any], what: str
) -> None:
    first = as_recorded(Case(id="a", input="q", source="f", **recorded))
    updated = brought_up_to_date(first.model_copy(update=mine), Case(id="a", input="q", source="f", **now))
    told = {name: getattr(updated, name) for name in ("taken", "kept", "conflicts")}
    assert [name for name, fields in told.items() if fields] == ([what] if what else [])
    for field in mine.keys() | now.keys():
        said = now if what == "taken" else mine
        assert getattr(updated.case, field) == said.get(field, getattr(Case(id="a", input="q"), field))


def test_digests_nobody_can_read_count_as_none() -> None:
    old = Case(id="a", input="q", expected="mine", as_imported="by Ana")
    assert brought_up_to_date(old, Case(id="a", input="q", expected="e")).conflicts == ("expected",)
