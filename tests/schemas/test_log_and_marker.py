"""The readable log and result markers read back, and damaged ones are refused with what is wrong."""

from __future__ import annotations

import pytest

from ceopt_tui.errors import InputError
from schemas.experiment_log import ExperimentLog, experiment_log_document, parse_experiment_log
from schemas.result_marker import Cost, ResultMarker, Snapshot, parse_result_marker, result_marker_yaml
from schemas.yaml_dump import dump

LOG = {
    "spec": "name: x\ndescription: y\n",
    "run_id": "2026-01-01T00-00-00",
    "started_at": "2026-01-01T00:00:00Z",
    "baseline": {"text_digest": "ab", "mean": 0.25, "scored": 20, "sees_half": 0.1, "later_key": [1, "x"]},
    "experiments": [
        {
            "id": "exp-001",
            "hypothesis": "state the contract",
            "outcome": "kept",
            "decisions": [{"step": "confirm", "decision": "promising", "reason": "z 2.1", "z": 2.1}],
            "fixed": ["a", "007"],
        }
    ],
    "best": {"iteration": 1, "text_digest": "cd", "texts": {"p.md": "\ufeffline  \r\n\ttab\u2028end"}},
    "hypothesis_backlog": [{"id": "h2", "description": "shorten", "opportunity": {"expected_benefit": "unknown"}}],
    "run_state": {"status": "finished", "outcome": "improved", "active_s": 12.5, "calls": 80, "cost_usd": None},
    "approval": [{"what": "spec", "digest": "ef", "caps": {"max_calls": 2000}, "by": "person"}],
    "harness_validation": [{"probe": "empty output", "status": "passed", "score": 0.0}],
}


def test_a_log_reads_back_byte_for_byte() -> None:
    log = parse_experiment_log(dump(LOG).encode(), "log")
    assert log.best is not None
    assert log.best.texts == {"p.md": "\ufeffline  \r\n\ttab\u2028end"}
    assert log.experiments[0].fixed == ("a", "007")
    assert log.run_state.cost_usd is None
    assert log.baseline is not None
    assert log.baseline.model_extra == {"later_key": [1, "x"]}
    document = experiment_log_document(log)
    assert list(document)[:3] == ["spec", "run_id", "started_at"]
    assert parse_experiment_log(dump(document).encode(), "log") == log


def test_a_log_of_a_newer_version_is_still_shown() -> None:
    newer = {**LOG, "something_new": {"a": "b"}}
    assert parse_experiment_log(dump(newer).encode(), "log").run_id == LOG["run_id"]


def test_an_empty_run_has_a_log() -> None:
    assert parse_experiment_log(dump(experiment_log_document(ExperimentLog(spec="x"))).encode(), "log").best is None


def test_a_damaged_log_is_refused() -> None:
    raw = dump(LOG).encode()
    with pytest.raises(InputError):
        parse_experiment_log(raw[: len(raw) // 2] + b"\x00" + raw[len(raw) // 2 :], "log")
    with pytest.raises(InputError, match=r"run_state\.status: must be one of running"):
        parse_experiment_log(dump({**LOG, "run_state": {"status": "lost"}}).encode(), "log")


MARKER = ResultMarker(
    base_sha="a" * 40,
    head_sha="b" * 40,
    machine="worker-3",
    baseline=Snapshot(gates={"ok": 1}, metrics={"ms": {"samples": [10, 11.5, None], "aggregate": 10.7}}),
    candidate=Snapshot(
        gates={"ok": True}, metrics={"ms": 9}, judge={"score": 4.5}, cases={"007": True}, runs={"a": (1.0, 0.0)}
    ),
    correctness="tests passed",
    cost=Cost(usd=0.1, calls=4),
)


def test_a_marker_reads_back() -> None:
    assert parse_result_marker(result_marker_yaml(MARKER).encode(), "result.yaml") == MARKER


def test_missing_objectives_are_named() -> None:
    assert MARKER.candidate.missing(["ms", "score", "size"]) == ("size",)
    assert MARKER.baseline.missing(["ms", "score"]) == ("score",)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a" * 40, "main", "base_sha: must be a commit's whole SHA"),
        ("machine:", "machin:", "did you mean `machine`?"),
        ("usd: 0.1", "usd: -1", "cost.usd: must be at least 0"),
        ("correctness:", "run_this: rm\ncorrectness:", "run_this: is not a known key"),
    ],
)
def test_a_marker_is_evidence_that_must_be_whole(before: str, after: str, said: str) -> None:
    text = result_marker_yaml(MARKER).replace(before, after, 1)
    with pytest.raises(InputError) as caught:
        parse_result_marker(text.encode(), "result.yaml")
    assert said in str(caught.value)
