"""Names that choose records (a score, a tag): one that is in no file is refused, and an empty choice says why."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ceopt_tui.commands.import_ import command
from ceopt_tui.errors import InputError
from schemas.loading import load_evalset

DATA = Path(__file__).parents[1] / "data" / "imports"
TABLE = """id,input,expected,observed,accuracy,tone,tags
a,q1,x,y,0,1,"refund,post"
b,q2,x,y,1,0,returns
c,q3,x,,1,1,
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "t.csv"
    file.write_text(TABLE, "utf-8")
    return file


def refused(*arguments: str | Path) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    return str(result.exception)


def taken(tmp_path: Path, *arguments: str | Path) -> tuple[list[str], str]:
    """Ids of the cases, and what was said."""
    out = tmp_path / "out.yaml"
    result = CliRunner().invoke(command, [str(argument) for argument in (*arguments, "--out", out)])
    assert result.exception is None, result.exception
    return [case.id for case in load_evalset(out).evalset.cases], result.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--score", "acuracy"), "the score 'acuracy' (did you mean 'accuracy'?); there are accuracy, tone"),
        (("--tag", "refnd"), "no record has the tag 'refnd' (did you mean 'refund'?); there are post, refund, returns"),
        (("--tag", "zz", "--tag", "yy"), "--tag: no record has the tag 'yy'; there are"),
        (("--score", "zz", "--tag", "yy"), "--score: no record has the score 'zz'; there are accuracy, tone"),
    ],
)
def test_a_name_in_no_record_is_refused_with_those_there_are(table: Path, options: tuple[str, ...], told: str) -> None:
    assert told in refused(table, *options)


@pytest.mark.parametrize("name", ["braintrust_experiment.json", "langsmith_runs.jsonl", "promptfoo.json"])
def test_scores_of_every_format_are_known_by_name(name: str) -> None:
    assert "no record has the score 'no such'" in refused(DATA / name, "--score", "no such")


def test_where_there_are_no_names_at_all_it_says_so(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    file.write_text('{"id": "a", "input": "q"}\n', "utf-8")
    assert "there are no tags at all" in refused(file, "--tag", "x")
    assert "there are no scores at all" in refused(file, "--score", "x")


def test_a_tag_of_records_that_passed_is_no_mistake(tmp_path: Path, table: Path) -> None:
    said = refused(table, "--score", "accuracy", "--tag", "returns")
    assert "nothing to import: 2 × passed (--all takes what passed as guards); 1 × left aside by --tag" in said
    assert taken(tmp_path, table, "--score", "accuracy", "--tag", "returns", "--all")[0] == ["b"]


def test_one_wrong_tag_beside_a_right_one_is_named(tmp_path: Path, table: Path) -> None:
    ids, said = taken(tmp_path, table, "--tag", "Refund", "--tag", "nope")
    assert ids == ["a"]
    assert "note: no record has the tag 'nope'; there are post, refund, returns" in said


@pytest.mark.parametrize(("name", "ids"), [("accuracy", ["a"]), ("Tone", ["b"])])
def test_a_column_is_a_score_when_it_is_asked_for(tmp_path: Path, table: Path, name: str, ids: list[str]) -> None:
    found, said = taken(tmp_path, table, "--score", name)
    assert found == ids
    assert f"field {name.lower()!r} is not used" not in said


def test_promptfoo_names_its_metrics(tmp_path: Path) -> None:
    def test(number: int, **scores: float) -> dict[str, Any]:
        return {"testIdx": number, "vars": {"q": f"q{number}"}, "success": True, "response": {"output": "o"},
                "namedScores": scores, "testCase": {"metadata": {"id": f"t{number}"}}}  # fmt: skip

    file = tmp_path / "results.json"
    file.write_text(json.dumps({"results": {"results": [test(1, Tone=0.5, Fit=1), test(2, Tone=1, Fit=0)]}}), "utf-8")
    assert taken(tmp_path, file, "--score", "tone")[0] == ["t1"]
    assert "there are Fit, Tone" in refused(file, "--score", "Fitt")


def test_every_reason_is_counted_and_the_set_that_stands_is_untouched(tmp_path: Path) -> None:
    def test(number: int, output: str | None, success: bool, error: str | None = None) -> dict[str, Any]:
        case = {"metadata": {"tags": ["t"] if number else ["u"]}}
        verdict = {"testIdx": number, "success": success, "error": error}
        return {**verdict, "vars": {"q": f"q{number}"}, "response": {"output": output}, "testCase": case}

    tests = [
        test(0, "o", False),
        test(1, "o", True),
        test(2, "o", True),
        test(3, None, False),
        test(4, None, False, "E"),
    ]
    file, out = tmp_path / "results.json", tmp_path / "out.yaml"
    file.write_text(json.dumps({"results": {"results": tests}}), "utf-8")
    told = (
        "nothing to import: 2 × passed (--all takes what passed as guards); 1 × left aside by --tag; "
        "1 × no output in the export, not imported; 1 × provider error, not imported"
    )
    assert told in refused(file, "--tag", "t")
    out.write_text("name: mine\ncases:\n  - {id: a, input: b}  # mine\n", "utf-8")
    before = out.read_bytes()
    assert told in refused(file, "--tag", "t", "--out", out)
    assert out.read_bytes() == before


def test_a_day_without_failures_leaves_the_set_as_it_is(tmp_path: Path) -> None:
    file, out = tmp_path / "f.jsonl", tmp_path / "out.yaml"
    file.write_text('{"id": "a", "input": "q", "passed": false}\n', "utf-8")
    taken(tmp_path, file)
    before = out.read_bytes()
    file.write_text('{"id": "z", "input": "r", "passed": true}\n', "utf-8")
    assert taken(tmp_path, file)[0] == ["a"]
    assert out.read_bytes() == before
