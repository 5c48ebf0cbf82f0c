"""The schemas for editors are those of the models, and accept what ceopt accepts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from schemas.json_schema import FILES, MODELS, json_schema, schema_file, schema_text

DATA = Path(__file__).parents[1] / "data" / "schemas"


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json_schema(name))


def faults(name: str, data: Any) -> list[str]:
    return [fault.message for fault in validator(name).iter_errors(data)]


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_up_to_date(name: str) -> None:
    assert schema_file(name).read_text(encoding="utf-8") == schema_text(name), "run `python -m schemas.json_schema`"


@pytest.mark.parametrize("name", MODELS)
def test_the_schemas_are_valid(name: str) -> None:
    Draft202012Validator.check_schema(validator(name).schema)


@pytest.mark.parametrize("file", ["smallest", "hard_code", "judged_code", "text_by_command"])
def test_good_specs_are_accepted(file: str) -> None:
    assert faults("spec", yaml.safe_load((DATA / f"{file}.yaml").read_text())) == []


def test_eval_sets_with_unquoted_words_are_accepted() -> None:
    text = "name: x\ncases: [{id: 7, input: 1.5, expected: true, check: {type: number, tolerance: 0}}]\n"
    assert faults("evalset", yaml.safe_load(text)) == []


def test_misspelt_keys_and_values_out_of_bounds_are_marked() -> None:
    smallest = yaml.safe_load((DATA / "smallest.yaml").read_text())
    assert faults("spec", {**smallest, "stoping": {}})
    assert faults("spec", {**smallest, "stopping": {"max_iterations": 0}})
    assert faults("spec", {**smallest, "caution": "lots"})


def test_only_text_targets_may_leave_out_gates_scope_and_command() -> None:
    smallest = yaml.safe_load((DATA / "smallest.yaml").read_text())
    del smallest["target"]
    assert faults("spec", smallest)


def test_keys_are_those_of_the_file_and_carry_descriptions() -> None:
    schema = json_schema("spec")
    assert set(schema["$defs"]["TokenPrice"]["properties"]) == {"in", "out"}
    assert "max_total_cost_usd" in schema["$defs"]["Stopping"]["properties"]
    assert schema["$defs"]["Stopping"]["properties"]["max_hours"]["description"] == "Active time."
    assert "schema" in json_schema("evalset")["$defs"]["JsonSchema"]["properties"]


@pytest.mark.parametrize("example", ["review-checklist", "first-look"])
def test_the_example_studies_are_accepted_and_a_misspelt_key_is_marked(example: str) -> None:
    folder = Path(__file__).parents[2] / "examples" / "studies" / example
    for name, file in (("study", "study"), ("hypotheses", "hypotheses"), ("study-cases", "cases/reviews")):
        data = yaml.safe_load((folder / f"{file}.yaml").read_text("utf-8"))
        assert faults(name, data) == []
        assert faults(name, {**data, "kk": 3})
