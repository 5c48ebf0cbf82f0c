"""`ceopt judge` on a sample, with a method, and against a second file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from judge_endpoint import plays_judge
from stub_endpoint import StubEndpoint, completion

from ceopt_tui.commands.judge import command
from judges.against import PairSummary

KEY = "sk-FAKE-ABCDEFGH12345678"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StubEndpoint]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with StubEndpoint(respond=plays_judge(lambda seen: {"score": 4})) as running:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", running.api_base)
        yield running


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "rubric.md").write_text("Score 1-5: say it plainly.")
    buckets = ["long"] * 3 + ["short"] * 6
    items = [
        {"id": f"i{n}", "input": f"q{n}", "output": f"new {n}", "bucket": bucket} for n, bucket in enumerate(buckets)
    ]
    _write(tmp_path / "new.jsonl", items)
    _write(tmp_path / "old.jsonl", [item | {"output": f"old {item['id']}"} for item in items])
    return tmp_path


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def judge(files: Path, *arguments: str) -> Result:
    options = ["--rubric", str(files / "rubric.md"), "--model", "openai/stub", "--cache-dir", str(files / "cache")]
    return CliRunner().invoke(command, [str(files / "new.jsonl"), *options, *arguments])


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_sample_is_drawn_by_its_seed(files: Path, endpoint: StubEndpoint) -> None:
    results = [judge(files, "--json", "--sample", "4", *seed) for seed in ([], ["--seed", "7"], [])]
    drawn = [[str(row["id"]) for row in rows(result)[:-1]] for result in results]
    assert drawn[0] == drawn[2] != drawn[1]
    assert all(len(ids) == 4 and ids == sorted(ids) for ids in drawn)
    assert "judging 4 of 9 items, drawn with seed 42" in results[0].stderr


def test_buckets_get_their_share(files: Path, endpoint: StubEndpoint) -> None:
    result = judge(files, "--json", "--stratify", "long=2", "--stratify", "short=1")
    ids = [row["id"] for row in rows(result)[:-1]]
    assert (len(ids), sum(item_id < "i3" for item_id in ids)) == (3, 2)
    result = judge(files, "--json", "--sample", "6", "--stratify", "long=5")
    assert "the bucket long has 3 items, not the 5 wanted" in result.stderr
    assert len(rows(result)) == 7


@pytest.mark.parametrize("stratum", ["long", "long=0", "long=x", "=3"])
def test_a_bad_stratum_is_refused(files: Path, endpoint: StubEndpoint, stratum: str) -> None:
    result = judge(files, "--stratify", stratum)
    assert result.exit_code == 2
    assert "no bucket with its count" in result.stderr


def test_a_bucket_nobody_named_draws_nothing(files: Path, endpoint: StubEndpoint) -> None:
    assert "no item was drawn" in str(judge(files, "--stratify", "huge=2").exception)
    assert endpoint.posts == 0


def test_scores_are_expectations_where_there_are_probabilities(files: Path, endpoint: StubEndpoint) -> None:
    endpoint.respond = plays_judge(lambda seen: {"score": 4, "probabilities": {"4": 0.7, "5": 0.2, "3": 0.1}})
    assert {row["score"] for row in rows(judge(files, "--json"))[:-1]} == {4.1}
    assert {row["score"] for row in rows(judge(files, "--json", "--method", "sampled"))[:-1]} == {4}
    assert judge(files).stdout.splitlines()[0].split() == ["i0", "4.1", "Say", "why."]


def test_a_method_that_the_scale_has_no_levels_for_is_refused(files: Path, endpoint: StubEndpoint) -> None:
    assert "whole levels" in str(judge(files, "--method", "expected", "--scale", "0-1").exception)
    assert endpoint.posts == 0


def prefers(body: dict[str, Any]) -> Any:
    """The new output of items 0 to 5, the old one of item 6, its favourite seat for the rest."""
    user = body["messages"][1]["content"]
    new_first = user.index("new ") < user.index("old ")
    number = int(user.split("new ")[1][0])
    wanted_new = number < 6
    winner = "A" if number > 6 or wanted_new is new_first else "B"
    return completion(json.dumps({"winner": winner}))


def test_two_files_are_compared_in_both_orders(files: Path, endpoint: StubEndpoint) -> None:
    endpoint.respond = prefers
    result = judge(files, "--json", "--against", str(files / "old.jsonl"))
    *given, last = rows(result)
    assert [row["preferred"] for row in given] == ["items"] * 6 + ["against"] + ["tie"] * 2
    assert endpoint.posts == 18
    summary = last["summary"]
    assert {key: summary[key] for key in ("items", "against", "ties", "unscored", "calls")} == {
        "items": 6,
        "against": 1,
        "ties": 2,
        "unscored": 0,
        "calls": 18,
    }
    assert summary["p"] == 0.125  # 2 * (7 + 1) / 2 ** 7
    assert result.exit_code == 0
    again = judge(files, "--against", str(files / "old.jsonl"))
    assert endpoint.posts == 18
    assert again.stdout.splitlines()[0] == "i0                   ITEMS preferred"
    assert again.stdout.splitlines()[-1] == (
        "ITEMS preferred 6, AGAINST preferred 1, 2 ties, sign test p = 0.125, 0 calls, 0.0000 USD"
    )


def test_longer_outputs_are_flagged(files: Path, endpoint: StubEndpoint) -> None:
    endpoint.respond = prefers
    _write(files / "old.jsonl", [{"id": "i1", "input": "q1", "output": "old"}])
    result = judge(files, "--against", str(files / "old.jsonl"))
    assert "1.67 times as long" in result.stderr
    assert "8 items in one of the two files alone, left out" in result.stderr


def test_the_same_outputs_cost_nothing(files: Path, endpoint: StubEndpoint) -> None:
    result = judge(files, "--json", "--against", str(files / "new.jsonl"))
    assert {row["preferred"] for row in rows(result)[:-1]} == {"tie"}
    assert rows(result)[-1]["summary"]["p"] == 1.0
    assert endpoint.posts == 0


def test_only_pairs_of_one_input_are_compared(files: Path, endpoint: StubEndpoint) -> None:
    _write(files / "old.jsonl", [{"id": "i1", "input": "another", "output": "old"}])
    assert "another input" in str(judge(files, "--against", str(files / "old.jsonl")).exception)
    _write(files / "old.jsonl", [{"id": "zz", "input": "q1", "output": "old"}])
    assert "no id in this file is among the items" in str(judge(files, "--against", str(files / "old.jsonl")).exception)
    assert endpoint.posts == 0


@pytest.mark.parametrize(("mode", "posts"), [("quota", 1), ("500", 3)])
def test_a_dead_endpoint_prefers_nothing(files: Path, endpoint: StubEndpoint, mode: str, posts: int) -> None:
    endpoint.mode, endpoint.respond = mode, None
    result = judge(files, "--json", "--max-calls", "9", "--against", str(files / "old.jsonl"))
    assert {row["preferred"] for row in rows(result)[:-1]} == {None}
    assert (endpoint.posts, result.exit_code) == (posts, 3)
    assert "judged 0 of 9" in result.stderr


def test_a_cap_keeps_what_was_compared(files: Path, endpoint: StubEndpoint) -> None:
    endpoint.respond = prefers
    result = judge(files, "--json", "--max-calls", "7", "--against", str(files / "old.jsonl"))
    summary = rows(result)[-1]["summary"]
    assert endpoint.posts == summary["calls"] == 7
    assert summary["unscored"] >= 6
    assert [row["id"] for row in rows(result)[:-1]] == [f"i{n}" for n in range(9)]
    assert result.exit_code == 3


@pytest.mark.parametrize(
    "option", [["--repeats", "2"], ["--scale", "1-5"], ["--batch-size", "2"], ["--method", "auto"]]
)
def test_what_only_scores_have_is_refused(files: Path, endpoint: StubEndpoint, option: list[str]) -> None:
    result = judge(files, *option, "--against", str(files / "old.jsonl"))
    assert result.exit_code == 2
    assert "nothing is scored there" in result.stderr


@pytest.mark.parametrize(
    ("items", "against", "p"), [(0, 0, 1.0), (3, 3, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (9, 1, 0.021484)]
)
def test_the_sign_test(items: int, against: int, p: float) -> None:
    assert PairSummary(items, against, 4, 0, 0, 1.0, 0, 0.0).p == pytest.approx(p, abs=1e-6)
