"""What is read from a user's files: which changes concern the measurements, and which sets cannot be split."""

from __future__ import annotations

from pathlib import Path

import pytest
from triage_project import git

from ceopt_tui.errors import InputError
from ceopt_tui.inputs import Project, digests, open_project, split_of, terms_of

SPEC = """\
name: triage
description: Route a message
target: {files: [prompt.md]}
evalset: {file: evals.yaml}
metric:
  primary: {type: hard, name: pass_rate, direction: maximize}
"""


def case(number: int, more: str = "") -> str:
    topics = (
        "a broken kettle",
        "my last invoice",
        "opening hours",
        "a lost parcel",
        "changing the colour",
        "a gift card",
    )
    return f"  - {{id: c{number}, input: 'Message {number * 7919} on {topics[number]}', expected: 'x{number}'{more}}}\n"


def project(tmp_path: Path, spec: str = "", cases: str | None = None) -> Project:
    root = tmp_path / "repository"
    root.mkdir(exist_ok=True)
    if not (root / ".git").exists():
        git(root, "init", "-q")
        git(root, "commit", "-q", "--allow-empty", "-m", "first")
    (root / "prompt.md").write_text("Route the message.\n")
    (root / "spec.yaml").write_text(SPEC + spec)
    (root / "evals.yaml").write_text("name: triage\ncases:\n" + (cases or "".join(map(case, range(6)))))
    return open_project(root / "spec.yaml")


@pytest.mark.parametrize("key", ["caution: high\n", "allow_broken: true\n", "max_unscored: 0.4\n"])
def test_what_decides_a_verdict_is_bound_to_the_measurements(tmp_path: Path, key: str) -> None:
    assert digests(project(tmp_path))[1] != digests(project(tmp_path, key))[1]


def test_a_stop_rule_is_not(tmp_path: Path) -> None:
    before, after = digests(project(tmp_path)), digests(project(tmp_path, "stopping: {max_iterations: 3}\n"))
    assert before[0] != after[0] and before[1] == after[1]


MODEL = "models: {cheap: {model: openai/gpt-4o-mini%s}}\n"


@pytest.mark.parametrize(
    ("before", "after", "free"),
    [
        (MODEL % "", MODEL % ", usd_per_mtok: {in: 1, out: 2}, concurrency: 2", True),
        ("", "runner: {timeout_s: 5, retries: 0}\n", True),
        (MODEL % "", MODEL % ", params: {temperature: 1}", False),
        (MODEL % "", MODEL.replace("mini", "maxi") % "", False),
        ("", "runner: {params: {temperature: 1}}\n", False),
        ("", "runner: {repeats: 3}\n", False),
    ],
)
def test_price_and_patience_may_change_under_a_run_and_the_model_may_not(
    tmp_path: Path, before: str, after: str, free: bool
) -> None:
    assert (digests(project(tmp_path, before))[1] == digests(project(tmp_path, after))[1]) is free


@pytest.mark.parametrize(("side", "missing"), [("selection", "no held-out case"), ("holdout", "no selection case")])
def test_a_set_with_one_side_is_refused_before_anything_is_paid(tmp_path: Path, side: str, missing: str) -> None:
    everything = "".join(case(number, f", split: {side}") for number in range(6))
    with pytest.raises(InputError, match=missing):
        split_of(project(tmp_path, cases=everything))


def test_a_set_with_both_sides_is_split(tmp_path: Path) -> None:
    split = split_of(project(tmp_path))
    assert split.selection and split.holdout


def test_guards_are_known_to_the_planner_and_bound_to_the_measurements(tmp_path: Path) -> None:
    plain = project(tmp_path)
    measured = digests(plain)[1]
    assert terms_of(plain, attended=False, usd_per_run=None).guards == frozenset()
    cases = "".join(case(number, ", kind: guard" if number in (1, 4) else "") for number in range(6))
    guarded = project(tmp_path, cases=cases)
    assert terms_of(guarded, attended=False, usd_per_run=None).guards == {"c1", "c4"}
    assert digests(guarded)[1] != measured
