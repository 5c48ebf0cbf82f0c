"""Specs read from disk: defaults, specs written for other tools, and every problem at once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from schemas.loading import check_file, load_spec, parse_spec, unattended_problems
from schemas.spec import Spec

DATA = Path(__file__).parents[1] / "data" / "schemas"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_spec(path)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_the_smallest_spec_of_a_text_target_has_every_default() -> None:
    loaded = load_spec(DATA / "smallest.yaml")
    spec = loaded.spec
    assert loaded.sha256 == hashlib.sha256((DATA / "smallest.yaml").read_bytes()).hexdigest()
    assert loaded.line("metric", "primary", "name") == 5
    assert loaded.notes == ()
    assert spec.is_text_target
    assert not spec.is_judged
    assert [(gate.name, gate.check) for gate in spec.metric.degenerate_gates] == [("errors", "== 0")]
    assert spec.measurement.stability.comparison.method == "evidence"
    assert spec.scope.mutable == ("prompts/triage.md",)
    assert spec.scope.immutable == ("evals/triage.yaml",)
    assert (spec.execution.mode, spec.execution.backend, spec.batch_limit) == ("parallel", "worktree", 4)
    assert (spec.runner.kind, spec.runner.model, spec.proposer.kind, spec.proposer.model) == (
        "chat", "cheap", "auto", "strong",
    )  # fmt: skip
    assert (spec.stopping.max_iterations, spec.stopping.max_hours, spec.stopping.max_wall_hours) == (100, 8, 72)
    assert spec.user_cost_cap_usd is None
    assert spec.holdout == "split"
    assert [entry.name for entry in spec.metric.required] == ["pass_rate"]


def test_a_hard_spec_for_code_loads_unchanged() -> None:
    spec = load_spec(DATA / "hard_code.yaml").spec
    assert not spec.is_text_target
    assert spec.measurement.stability.comparison.method == "paired"
    assert spec.measurement.stability.confirmation_repeats == 5
    assert spec.measurement.stability.noise_bound == 0.05
    assert spec.measurement.stability.ladder.futility.worse_factor == 1.5
    assert spec.metric.objectives[0].max_regression is not None
    assert [entry.name for entry in spec.metric.required] == ["startup_ms"]
    assert spec.metric.required[0].target == 120
    assert spec.batch_limit == 1
    assert spec.holdout is None


def test_a_judged_spec_in_older_words_loads_unchanged() -> None:
    loaded = load_spec(DATA / "judged_code.yaml")
    judge = loaded.spec.metric.judge
    assert judge is not None
    assert judge.model == "cheap"
    assert loaded.notes == ("metric.judge.model: haiku is read as cheap",)
    assert judge.bounds == (1, 5)
    assert judge.passing_score == 4
    assert judge.calibration.labels == "tools/eval/labels.yaml"
    assert loaded.spec.holdout == "second_sample"
    assert loaded.spec.judge_cost_cap_usd == 5
    assert unattended_problems(loaded) == []


def test_a_text_measured_by_a_command_loads_unchanged() -> None:
    spec = load_spec(DATA / "text_by_command.yaml").spec
    assert spec.holdout == "command"
    assert spec.measurement.per_case
    assert spec.measurement.stability.comparison.method == "absolute"
    assert [entry.name for entry in spec.metric.required] == ["pass_rate"]


def test_a_text_target_with_a_command_measures_by_it(tmp_path: Path) -> None:
    text = (DATA / "smallest.yaml").read_text() + 'measurement: {command: "python evals/run.py --fast"}\n'
    spec = load_spec(written(tmp_path, text)).spec
    assert spec.runner.kind == "command"
    assert spec.measurement.stability.comparison.method == "absolute"
    assert spec.scope.immutable == ("evals/triage.yaml", "evals/run.py")
    assert spec.holdout is None


def test_a_command_that_prints_cases_is_compared_by_evidence(tmp_path: Path) -> None:
    text = (DATA / "smallest.yaml").read_text() + "measurement: {command: run-cases, per_case: true}\n"
    assert load_spec(written(tmp_path, text)).spec.measurement.stability.comparison.method == "evidence"


@pytest.mark.parametrize(
    ("target", "kind", "role"),
    [
        ("{files: [skills/x/SKILL.md]}", "skill", "system"),
        ("{files: [CLAUDE.md]}", "agents", "system"),
        ("{files: [a.md]}", "prompt", "system"),
        ("{files: [a.md], kind: template}", "template", "template"),
        ("{files: [a.md], role: template}", "template", "template"),
        ("{files: [a.md], kind: skill, role: user}", "skill", "user"),
    ],
)
def test_kind_and_role_follow_from_each_other(tmp_path: Path, target: str, kind: str, role: str) -> None:
    text = (DATA / "smallest.yaml").read_text().replace("{files: [prompts/triage.md]}", target)
    read = load_spec(written(tmp_path, text)).spec.target
    assert read is not None
    assert (read.kind, read.role) == (kind, role)


def test_models_and_caps(tmp_path: Path) -> None:
    more = """models:
  cheap: {model: openai/small, api_base: "http://127.0.0.1:1/v1", params: {temperature: 1.10, stop: [no, 7], n: 2}}
  mine: {model: acme/x, usd_per_mtok: {in: 0.5, out: 1e0}, concurrency: 2}
runner: {model: mine, params: {max_tokens: 64}}
proposer: {model: acme/y, kind: llm}
stopping: {max_total_cost_usd: 2, max_calls: 50}
"""
    spec = load_spec(written(tmp_path, (DATA / "smallest.yaml").read_text() + more)).spec
    assert spec.models["cheap"].params == {"temperature": 1.1, "stop": ["no", 7], "n": 2}
    price = spec.models["mine"].usd_per_mtok
    assert price is not None
    assert (price.in_, price.out) == (0.5, 1.0)
    assert spec.user_cost_cap_usd == 2


def test_every_problem_is_reported_at_once_with_its_line(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """name: Bad_Name
metric:
  primary: {type: judge, name: q, direction: up}
  degenerate_gates:
    - name: g1
      check: "=> 3"
  judge:
    rubric: r
    scoring: {primary: x}
    batch_size: five
    sampel_size: 10
    singleton_sample: 3
    model: gpt
    model: cheap
measurement: {command: c, stability: {mode: ladder}}
scope:
  mutable: [src, ../x]
  immutable: [src/a.py]
execution: {max_concurrent: 9, backend: worktre}
stopping: {max_hours: "8", max_iterations: 010, max_wall_hours: 0}
api_key: sk-1
judge: {}
""",
    )
    found = refusal(path)
    for said in [
        '1: name: must be lower-case words joined by hyphens, such as "support-triage"; got "Bad_Name"',
        "1: description: is required and missing",
        '3: metric.primary.direction: must be one of maximize, minimize, not "up"',
        "6: metric.degenerate_gates[0].check: must be one of >= <= > < == != and a number",
        "7: metric.judge.singleton_rubric: is required when singleton_sample is above 0",
        "9: metric.judge.scoring.primary: must be the name of the primary metric, `q`, not `x`",
        "10: metric.judge.batch_size: must be a whole number, not five",
        "11: metric.judge.sampel_size: is not a known key; did you mean `sample_size`?",
        '13: metric.judge.model: must be cheap, strong, a name from `models`, or provider/model, not "gpt"',
        "14: metric.judge.model: the key `model` stands twice, on lines 13 and 14",
        "15: measurement.stability.comparison.method: mode ladder needs relative, paired or evidence",
        '17: scope.mutable[1]: must stay inside the repository; ".." is not allowed in "../x"',
        '19: execution.backend: must be one of worktree, codex, claude, remote, not "worktre"; did you mean worktree?',
        '20: stopping.max_hours: must be a number, not the text "8"; remove the quotes',
        "20: stopping.max_iterations: must be a whole number, not 010",
        "20: stopping.max_wall_hours: must be greater than 0",
        "21: api_key: is not a known key; secrets do not belong in this file",
        "22: judge: is not a known key here; it belongs in `metric`",
    ]:
        assert any(line.startswith(said) for line in found), said
    assert found == sorted(found, key=lambda line: int(line.split(":")[0]))
    assert not [line for line in found if "at least 1 entry" in line]


def test_a_name_too_long_is_measured_in_letters(tmp_path: Path) -> None:
    path = written(tmp_path, "name: " + "a" * 300 + "\n")
    assert "1: name: must be at most 100 letters long, not 300" in refusal(path)


def test_missing_sections_are_named(tmp_path: Path) -> None:
    assert refusal(written(tmp_path, "name: x\n")) == [
        "1: description: is required and missing",
        "1: metric: is required and missing",
        "1: scope: is required and missing",
        "1: measurement.command: is required unless the spec has a text target with an eval set",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: is empty"),
        ("- a\n", "1: must be a mapping of keys"),
        ("just words\n", "1: must be a mapping of keys"),
        ("name: x\nmetric: []\n", "2: metric: must be a mapping"),
        ("name: x\nmetric: {primary: 5}\n", "2: metric.primary: must be a mapping"),
        ("name: x\nconstraints: one\n", "2: constraints: must be a list"),
        ("name: x\nzebra: y\n", "2: zebra: is not a known key; the closest is `"),
        ("target: prompts/x.md\n", "1: target: must be a mapping"),
        ("target: {files: prompts/x.md}\n", "1: target.files: must be a list"),
        ("target: {files: [a.md]}\nmeasurement: []\nscope: x\nmetric:\n", "2: measurement: must be a mapping"),
        (
            "target: {files: [a.md]}\nmeasurement: {stability: {comparison: x}}\n",
            "2: measurement.stability.comparison: must",
        ),
        ("name:\n", "1: name: needs a text"),
        ("target: {files: []}\n", "1: target.files: needs at least 1 entry"),
    ],
)
def test_wrong_shapes_are_named(tmp_path: Path, text: str, said: str) -> None:
    assert any(line.startswith(said) for line in refusal(written(tmp_path, text)))


@pytest.mark.parametrize("name", ["B32_dup", "B32_bomb", "B32_tab", "B32_brace"])
def test_hostile_files_are_refused_as_specs(name: str) -> None:
    assert refusal(DATA / f"{name}.yaml")


def test_messages_hold_no_control_characters_and_end(tmp_path: Path) -> None:
    path = written(tmp_path, 'name: "\\e[31mred\\n"\n"\\e[2J": 1\n"\\e[2J": {x}\ncaution: "' + "a" * 5000 + '"\n')
    found = refusal(path)
    assert all(line.isprintable() and len(line) < 600 for line in found)
    assert [line for line in found if "\\x1b[31mred\\n" in line]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: no such file"):
        load_spec(tmp_path / "absent.yaml")
    with pytest.raises(InputError, match="cannot be read: is a directory"):
        load_spec(tmp_path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(b"#" * 2_000_001)
    with pytest.raises(InputError, match="is 2000001 bytes; the limit is 2000000"):
        load_spec(path)


def test_what_has_no_effect_is_said(tmp_path: Path) -> None:
    text = (DATA / "judged_code.yaml").read_text().replace("max_total_cost_usd: 5", "max_total_cost_usd: null")
    loaded = load_spec(written(tmp_path, text.replace("direction: maximize", "direction: maximize\n    baseline: 3")))
    assert [note.split(":")[0] for note in loaded.notes[:2]] == [
        "metric.primary.baseline is not used",
        "metric.judge.max_total_cost_usd is null",
    ]
    assert [problem.key for problem in unattended_problems(loaded)] == ["metric.judge.max_total_cost_usd"]


def test_an_unattended_judged_run_needs_labels_or_a_reason(tmp_path: Path) -> None:
    text = (DATA / "judged_code.yaml").read_text().replace("labels: tools/eval/labels.yaml", "labels: null")
    assert [problem.key for problem in unattended_problems(load_spec(written(tmp_path, text)))] == [
        "metric.judge.calibration"
    ]
    waived = text.replace("labels: null", "waived: nobody has time this week")
    assert unattended_problems(load_spec(written(tmp_path, waived))) == []


def test_a_hard_metric_needs_no_judge_unattended() -> None:
    assert unattended_problems(load_spec(DATA / "smallest.yaml")) == []


def test_check_tells_specs_from_eval_sets(tmp_path: Path) -> None:
    assert check_file(DATA / "smallest.yaml") == []
    assert check_file(DATA / "triage.yaml") == []
    for text, key in [("name: x\ncase: []\n", "case"), ("- id: a\n", ""), ("name: x\nmetrics: {}\n", "metrics")]:
        assert key in [problem.key for problem in check_file(written(tmp_path, text))]
    assert check_file(tmp_path / "absent.yaml")[0].message.startswith("cannot be read")


def test_values_in_memory_are_checked_alike() -> None:
    smallest = load_spec(DATA / "smallest.yaml")
    assert parse_spec(smallest.document.data) == smallest.spec
    with pytest.raises(InputError, match="spec: name: must be text"):
        parse_spec({**smallest.document.data, "name": 5})


def test_a_spec_is_frozen_and_round_trips_through_json() -> None:
    spec = load_spec(DATA / "judged_code.yaml").spec
    assert Spec.model_validate(spec.model_dump(mode="json", by_alias=True)) == spec
    with pytest.raises(ValueError, match="frozen"):
        spec.name = "other"  # type: ignore[misc]
