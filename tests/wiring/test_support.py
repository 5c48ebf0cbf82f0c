"""A valid spec that this version cannot carry out is refused with its line; keys without effect are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from ceopt_tui.support import notes, refuse_unsupported
from schemas.loading import LoadedSpec, load_spec

BASE = """\
name: triage
description: Route a message
target: {files: [prompt.md]}
evalset: {file: evals.yaml}
metric:
  primary: {type: hard, name: pass_rate, direction: maximize}
"""


def loaded(tmp_path: Path, text: str) -> LoadedSpec:
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    return load_spec(path)


def test_the_smallest_spec_is_carried_out_without_a_note(tmp_path: Path) -> None:
    spec = loaded(tmp_path, BASE)
    refuse_unsupported(spec)
    assert notes(spec) == []


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("runner: {kind: codex, params: {temperature: 0}}\n", "runner.params"),
        ("runner: {repeats: 1}\n", "runner.repeats"),
        ("proposer: {kind: claude}\n", "proposer.kind"),
        ("execution: {backend: codex}\n", "execution.backend"),
        ("measurement: {stability: {comparison: {method: paired}}}\n", "measurement.stability.comparison.method"),
        ("  objectives: [{name: cost, direction: minimize}]\n", "metric.objectives"),
        ('  degenerate_gates: [{name: size, check: "< 9", description: d}]\n', "metric.degenerate_gates"),
        ("measurement: {stability: {comparison: {method: evidence}}}\nproposer: {kind: codex}\n", "proposer.kind"),
        ("measurement: {holdout: {command: ./h}}\n", "measurement.holdout"),
    ],
)
def test_what_would_change_the_result_is_refused_with_its_line(tmp_path: Path, more: str, key: str) -> None:
    with pytest.raises(InputError) as refused:
        refuse_unsupported(loaded(tmp_path, BASE + more))
    assert key in {problem.key for problem in refused.value.problems}
    assert all(problem.line >= 5 for problem in refused.value.problems)


def test_length_as_an_objective_is_refused_with_the_command_that_has_it(tmp_path: Path) -> None:
    for objective, said in (("tokens", "ceopt prune"), ("cost", "rubric")):
        more = f"  objectives: [{{name: {objective}, direction: minimize}}]\n"
        with pytest.raises(InputError) as refused:
            refuse_unsupported(loaded(tmp_path, BASE + more))
        (problem,) = refused.value.problems
        assert said in problem.message and ("ceopt prune" in problem.message) is (objective == "tokens")


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("direction: maximize", "direction: minimize", "metric.primary.direction"),
        ("direction: maximize", "direction: maximize, target: 90", "metric.primary.target"),
    ],
)
def test_a_metric_that_checks_cannot_mean_is_refused(tmp_path: Path, before: str, after: str, key: str) -> None:
    """A pass is 1: minimizing it would keep the worse text and call it better."""
    with pytest.raises(InputError) as refused:
        refuse_unsupported(loaded(tmp_path, BASE.replace(before, after)))
    assert [(problem.key, problem.line) for problem in refused.value.problems] == [(key, 6)]


CODE = """\
name: fast
description: Make it fast
metric:
  primary: {type: hard, name: seconds, direction: minimize}
  degenerate_gates: [{name: ok, check: "== 1", description: d}]
measurement: {command: ./measure.sh}
scope: {mutable: [src], immutable: [measure.sh]}
"""


def test_a_code_target_is_carried_out_and_none_of_its_keys_is_without_effect(tmp_path: Path) -> None:
    spec = loaded(tmp_path, f"{CODE}execution: {{mode: parallel, max_concurrent: 3}}\n")
    refuse_unsupported(spec)
    assert notes(spec) == []


def test_a_code_target_is_edited_by_somebody_who_edits_code(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the mechanical proposer edits instruction texts"):
        refuse_unsupported(loaded(tmp_path, f"{CODE}proposer: {{kind: mechanical}}\n"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("execution: {mode: parallel}\n", "execution.mode"),
        ("execution: {max_concurrent: 3}\n", "execution.max_concurrent"),
        ("  diagnostics: [{name: tokens}]\n", "metric.diagnostics"),
        ("dependencies: {approved: [numpy]}\n", "dependencies"),
        ("measurement: {stability: {repeat_count: 3}}\n", "measurement.stability.repeat_count"),
        (
            "measurement: {stability: {comparison: {relative_threshold: 0.1}}}\n",
            "measurement.stability.comparison.relative_threshold",
        ),
        ("scope: {mutable: [prompt.md, other.md], immutable: []}\n", "scope.mutable"),
        ("proposer: {kind: mechanical, edits: 2}\n", "proposer.edits"),
    ],
)
def test_keys_without_effect_are_named_once(tmp_path: Path, more: str, said: str) -> None:
    spec = loaded(tmp_path, BASE + more)
    refuse_unsupported(spec)
    assert [note for note in notes(spec) if note.startswith(f"`{said}` has no effect on this run: ")] == notes(spec)
    assert len(notes(spec)) == 1


BY_COMMAND = """\
name: fast
description: Make it fast
metric:
  primary: {type: hard, name: ms, direction: minimize}
  degenerate_gates: [{name: sorted, check: "== 1", description: in order}]
measurement: {command: sh measure.sh}
scope: {mutable: [src], immutable: [measure.sh]}
"""


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("proposer: {kind: command, command: ./edit}\nexecution: {backend: codex}\n", "execution.backend"),
        ("proposer: {kind: claude}\nexecution: {backend: codex}\n", "execution.backend"),
        ("proposer: {kind: mechanical}\n", "proposer.kind"),
        ("parallel: {shared_files: [src/table.bin]}\n", "parallel.shared_files"),
        ("measurement: {stability: {comparison: {method: evidence}}}\n", "measurement.stability.comparison.method"),
    ],
)
def test_what_speaks_against_itself_in_a_run_by_command_is_refused(tmp_path: Path, more: str, key: str) -> None:
    text = BY_COMMAND + more
    if more.startswith("measurement"):
        text = BY_COMMAND.replace("measurement: {", "measurement: {stability: {comparison: {method: evidence}}, ")
    with pytest.raises(InputError) as refused:
        refuse_unsupported(loaded(tmp_path, text))
    assert {problem.key for problem in refused.value.problems} == {key}


@pytest.mark.parametrize(
    "more",
    [
        "",
        "execution: {backend: codex}\n",
        "execution: {backend: claude}\nproposer: {kind: claude}\n",
        "proposer: {kind: codex}\n",
        "parallel: {shared_files: [data/table.bin]}\n",
    ],
)
def test_agents_and_shared_files_are_carried_out_in_a_run_by_command(tmp_path: Path, more: str) -> None:
    spec = loaded(tmp_path, BY_COMMAND + more)
    refuse_unsupported(spec)
    assert notes(spec) == []


def by_cases(more: str = "", held_out: str = "holdout: {command: sh held_out.sh}, ", metric: str = "") -> str:
    measured = f"measurement: {{{held_out}per_case: true, stability: {{comparison: {{method: evidence}}}}, "
    text = BY_COMMAND.replace("measurement: {", measured)
    return text.replace("metric:\n", f"metric:\n{metric}") + more


JUDGED = (
    by_cases()
    .replace("{type: hard,", "{type: judge,")
    .replace(
        "metric:\n",
        "metric:\n  judge: {rubric: Is it good?, scoring: {primary: ms}, confirmation_seed: 7}\n",
    )
)
OBJECTIVE = "  objectives: [{name: kb, direction: minimize}]\n"


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        (by_cases(held_out=""), "measurement.holdout", "add `holdout: {command: …}` that prints `cases` of its own"),
        (by_cases("execution: {backend: remote}\n"), "execution.backend", "decided by the numbers of the whole"),
        (JUDGED, "metric.primary.type", "not on what a judge says of its `items`"),
        (by_cases(metric=OBJECTIVE), "metric.objectives.0.max_regression", "say by how much it may get worse"),
    ],
)
def test_what_keeps_cases_of_a_command_from_deciding_is_refused_with_what_to_add(
    tmp_path: Path, text: str, key: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        refuse_unsupported(loaded(tmp_path, text))
    (problem,) = refused.value.problems
    assert problem.key == key and words in problem.message


def test_cases_of_a_command_decide_where_others_confirm(tmp_path: Path) -> None:
    limited = OBJECTIVE.replace("minimize", "minimize, max_regression: {type: relative, value: 0.1}")
    refuse_unsupported(loaded(tmp_path, by_cases(metric=limited)))
