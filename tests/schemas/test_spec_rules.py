"""Each rule between keys: a spec that breaks just this one is refused at the key where it is mended."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError
from schemas.loading import load_spec, parse_spec
from schemas.spec_metric_rules import METRIC_RULES
from schemas.spec_run_rules import RUN_RULES

DATA = Path(__file__).parents[1] / "data" / "schemas"

SOURCES = {name: load_spec(DATA / f"{name}.yaml").document.data for name in ("smallest", "hard_code", "judged_code")}
REMOVED = object()


def changed(source: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of a good spec with values set by dotted key."""
    data: dict[str, Any] = copy.deepcopy(SOURCES[source])
    for key, value in changes.items():
        *sections, last = key.split(".")
        here: Any = data
        for section in sections:
            here = here[int(section)] if isinstance(here, list) else here.setdefault(section, {})
        if value is REMOVED:
            del here[last]
        else:
            here[last] = value
    return data


BROKEN: list[tuple[str, dict[str, Any], str, str]] = [
    ("judged_code", {"metric.judge": REMOVED}, "metric.judge", "is required when metric.primary.type is judge"),
    ("judged_code", {"metric.judge.scoring.primary": "other"}, "metric.judge.scoring.primary", "`mean_score`"),
    ("judged_code", {"metric.judge.confirmation_seed": REMOVED}, "metric.judge", "needs a holdout"),
    (
        "judged_code",
        {"metric.judge.confirmation_seed": 42},
        "metric.judge.confirmation_seed",
        "differ from sample_seed",
    ),
    ("judged_code", {"metric.judge.singleton_sample": 2}, "metric.judge.singleton_rubric", "is required"),
    ("judged_code", {"metric.judge.pass_at": 6}, "metric.judge.pass_at", "above 1 and at most 5"),
    ("judged_code", {"metric.judge.pass_at": 1}, "metric.judge.pass_at", "above 1"),
    (
        "judged_code",
        {"metric.judge.scale": "pass/fail", "metric.judge.scoring.method": "expected"},
        "metric.judge.scoring.method",
        "expected needs a scale of whole levels such as 1-5; this one is pass/fail",
    ),
    ("judged_code", {"metric.judge.scale": "5-1"}, "metric.judge.scale", "lowest and the highest"),
    (
        "judged_code",
        {"metric.judge.stratification": [{"bucket": "a", "count": 6}, {"bucket": "b", "count": 6}]},
        "metric.judge.stratification",
        "asks for 12 items, more than sample_size (10)",
    ),
    (
        "judged_code",
        {"metric.judge.stratification": [{"bucket": "a", "count": 1}, {"bucket": "a", "count": 1}]},
        "metric.judge.stratification[1]",
        "`a` stands twice",
    ),
    ("judged_code", {"metric.judge.model": "gpt"}, "metric.judge.model", "provider/model"),
    ("judged_code", {"metric.diagnostics": [{"name": "a"}, {"name": "a"}]}, "metric.diagnostics[1]", "stands twice"),
    (
        "hard_code",
        {"metric.objectives": [{"name": "a", "direction": "minimize"}, {"name": "a", "direction": "minimize"}]},
        "metric.objectives[1]",
        "`a` stands twice",
    ),
    (
        "hard_code",
        {"metric.objectives": [{"name": "startup_ms", "direction": "minimize", "role": "secondary"}]},
        "metric.objectives[0].role",
        "always required",
    ),
    (
        "hard_code",
        {"metric.objectives": [{"name": "startup_ms", "direction": "maximize"}]},
        "metric.objectives[0].direction",
        "must be minimize as in metric.primary",
    ),
    ("hard_code", {"metric.degenerate_gates": []}, "metric.degenerate_gates", "needs at least 1 entry"),
    ("hard_code", {"measurement.command": REMOVED}, "measurement.command", "is required unless"),
    ("hard_code", {"evalset.file": "e.yaml"}, "evalset", "is for text targets only"),
    ("hard_code", {"runner.kind": "chat"}, "runner", "is for text targets only"),
    (
        "hard_code",
        {"measurement.stability.comparison.method": "evidence"},
        "measurement.stability.comparison.method",
        "score for every case",
    ),
    (
        "hard_code",
        {"measurement.stability.comparison": REMOVED},
        "measurement.stability.comparison.method",
        "write absolute out if it is meant",
    ),
    (
        "hard_code",
        {"measurement.stability.ladder.exploratory_pairs": 6},
        "measurement.stability.ladder.confirmation_repeats",
        "at least exploratory_pairs (6); it is 5",
    ),
    (
        "hard_code",
        {"measurement.stability.ladder.futility.worse_factor": 1},
        "measurement.stability.ladder.futility.worse_factor",
        "greater than 1",
    ),
    (
        "hard_code",
        {"measurement.stability.ladder.futility.after_elapsed_seconds": 0},
        "measurement.stability.ladder.futility.after_elapsed_seconds",
        "greater than 0",
    ),
    (
        "hard_code",
        {"measurement.stability.ladder.exploratory_pairs": 0},
        "measurement.stability.ladder.exploratory_pairs",
        "at least 1",
    ),
    ("hard_code", {"execution.max_concurrent": 7}, "execution.max_concurrent", "at most 6 with backend worktree"),
    ("hard_code", {"execution.max_concurrent": 0}, "execution.max_concurrent", "at least 1"),
    (
        "hard_code",
        {"execution.remote": {"dispatch": "command"}},
        "execution.remote.command",
        "required when dispatch is command",
    ),
    (
        "hard_code",
        {"execution.backend": "remote", "measurement.stability": {"mode": "stable"}},
        "measurement.stability.comparison.method",
        "do not compare",
    ),
    (
        "hard_code",
        {"parallel": {"port_strategy": "parameterized", "port_base": 1}},
        "parallel.port_env_var",
        "is required when",
    ),
    (
        "hard_code",
        {"parallel.port_strategy": "parameterized", "parallel.port_env_var": "PORT"},
        "parallel.port_base",
        "is required when",
    ),
    ("hard_code", {"parallel.shared_files": ["/etc/x"]}, "parallel.shared_files[0]", "relative to the repository"),
    ("hard_code", {"scope.immutable": []}, "scope.immutable", "needs at least one entry"),
    ("hard_code", {"scope.mutable": []}, "scope.mutable", "needs at least 1 entry"),
    ("hard_code", {"scope.mutable": ["bench/x.py"]}, "scope.mutable[0]", "overlaps with `bench/`"),
    ("hard_code", {"scope.mutable": ["./tests"]}, "scope.mutable[0]", "overlaps with `tests/`"),
    ("hard_code", {"scope.mutable": ["."]}, "scope.mutable[0]", "overlaps with"),
    ("hard_code", {"proposer.kind": "command"}, "proposer.command", "is required when"),
    ("hard_code", {"proposer.command": "x"}, "proposer.command", "used only with"),
    ("hard_code", {"proposer.timeout_s": 9}, "proposer.timeout_s", "used only with"),
    ("hard_code", {"proposer.environment": ["KEY"]}, "proposer.environment", "used only with"),
    ("smallest", {"evalset": REMOVED}, "evalset", "the cases it is measured on"),
    ("smallest", {"evalset": {"seed": 3}}, "evalset", "needs `file`"),
    ("smallest", {"evalset.files": ["b.yaml"]}, "evalset", "has both"),
    ("smallest", {"evalset": {"files": ["b.yaml", "b.yaml"]}}, "evalset[1]", "`b.yaml` stands twice"),
    ("smallest", {"evalset.holdout": 1}, "evalset.holdout", "between 0 and 1"),
    ("smallest", {"evalset.holdout.file": "evals/triage.yaml"}, "evalset[1]", "stands twice"),
    ("smallest", {"runner.kind": "command"}, "measurement.command", "required when runner.kind is command"),
    ("smallest", {"measurement.command": "x", "runner.kind": "chat"}, "runner.kind", "measures by itself"),
    ("smallest", {"scope.mutable": ["other.md"]}, "target.files[0]", "is not in scope.mutable"),
    (
        "smallest",
        {"scope": {"mutable": ["prompts", "evals"], "immutable": ["x"]}},
        "scope.mutable[1]",
        "decides scores and never changes",
    ),
    ("smallest", {"target.files": ["a.md", "a.md"]}, "target.files[1]", "stands twice"),
    ("smallest", {"target.files": [".git/config"]}, "target.files[0]", ".git"),
    ("smallest", {"target.files": ["/abs.md"]}, "target.files[0]", "relative to the repository"),
    ("smallest", {"runner.model": "mine"}, "runner.model", "a name from `models`"),
    ("smallest", {"models": {"cheap": {}, "haiku": {}}}, "models", "is the old name of `cheap`"),
    ("smallest", {"models": {"cheap": {"modle": "x"}}}, "models.cheap.modle", "did you mean `model`?"),
    ("smallest", {"max_unscored": 1.5}, "max_unscored", "at most 1"),
    ("smallest", {"coverage": "on"}, "coverage", "must be one of protect, off"),
]


@pytest.mark.parametrize(("source", "changes", "key", "said"), BROKEN)
def test_one_broken_rule_is_the_one_problem(source: str, changes: dict[str, Any], key: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_spec(changed(source, changes))
    assert [problem.key for problem in caught.value.problems] == [key]
    assert said in caught.value.problems[0].message


KEPT: list[tuple[str, dict[str, Any]]] = [
    ("hard_code", {"execution.backend": "codex", "execution.max_concurrent": 12}),
    ("hard_code", {"measurement.stability.comparison.method": "absolute"}),
    ("hard_code", {"execution.backend": "remote"}),
    ("hard_code", {"parallel": {"port_strategy": "parameterized", "port_env_var": "PORT", "port_base": 9000}}),
    ("hard_code", {"proposer.kind": "command", "proposer.command": "rewrite"}),
    ("judged_code", {"metric.judge.model": "acme/judge"}),
    ("judged_code", {"metric.judge.model": "mine", "models": {"mine": {"model": "acme/judge"}}}),
    ("judged_code", {"metric.judge.scale": "0-1", "metric.judge.pass_at": 0.5}),
    ("smallest", {"evalset.holdout": 0.4}),
    ("smallest", {"evalset.holdout.file": "evals/held_out.yaml"}),
    ("smallest", {"scope.immutable": []}),
    ("smallest", {"evalset.file": "../shared/triage.yaml"}),
    ("smallest", {"caution": "high", "coverage": "off", "allow_broken": True, "max_unscored": 0}),
    (
        "smallest",
        {"metric.primary.type": "judge", "metric.judge": {"rubric": "r", "scoring": {"primary": "pass_rate"}}},
    ),
]


@pytest.mark.parametrize(("source", "changes"), KEPT)
def test_what_the_rules_allow(source: str, changes: dict[str, Any]) -> None:
    parse_spec(changed(source, changes))


def test_every_rule_is_in_force() -> None:
    """A rule that is written and not listed would never be asked."""
    for rules in (METRIC_RULES, RUN_RULES):
        module = rules[0].__globals__
        assert {name for name in module if name.startswith("_") and not name.startswith("__")} == {
            rule.__name__ for rule in rules
        }


def test_a_file_of_held_out_cases_is_known() -> None:
    spec = parse_spec(changed("smallest", {"evalset.holdout.file": "evals/held_out.yaml"}))
    assert spec.holdout_file == "evals/held_out.yaml"
    assert spec.scope.immutable == ("evals/triage.yaml", "evals/held_out.yaml")
    assert parse_spec(SOURCES["smallest"]).holdout_file is None


def test_exclusive_resources_make_a_run_serial() -> None:
    spec = parse_spec(changed("smallest", {"parallel.exclusive_resources": ["gpu"]}))
    assert spec.batch_limit == 1


def test_an_objective_may_restate_the_primary() -> None:
    restated = {"name": "startup_ms", "direction": "minimize", "target": 90}
    other = {"name": "size", "direction": "minimize"}
    required = parse_spec(changed("hard_code", {"metric.objectives": [other, restated]})).metric.required
    assert [(entry.name, entry.target) for entry in required] == [("startup_ms", 90), ("size", None)]


@pytest.mark.parametrize("check", [">= 0.9", "<=1", "== 1", "!= 0", "> -1e-3", "<.5"])
def test_a_gate_is_a_comparison_with_a_number(check: str) -> None:
    spec = parse_spec(changed("hard_code", {"metric.degenerate_gates": [{"name": "g", "check": check}]}))
    assert spec.metric.degenerate_gates[0].check == check


@pytest.mark.parametrize(
    ("scale", "pass_at", "passing"), [("1-5", None, 4), ("0-1", None, 1), ("0–10", None, 9), ("1-5", 3, 3)]
)
def test_the_score_that_passes(scale: str, pass_at: float | None, passing: float) -> None:
    changes = {"metric.judge.scale": scale} | ({"metric.judge.pass_at": pass_at} if pass_at else {})
    judge = parse_spec(changed("judged_code", changes)).metric.judge
    assert judge is not None
    assert judge.passing_score == passing
