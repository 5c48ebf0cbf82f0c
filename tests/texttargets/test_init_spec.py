"""`ceopt init`: a spec and an eval set that load, and nothing overwritten."""

import json
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError, SetupError
from schemas.loading import load_evalset, load_spec
from texttargets.init_example import example_case, is_example
from texttargets.init_spec import init_files, project_name

PUT = "Put an input here that went wrong."


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def made(root: Path, target: Path, records: list[dict[str, Any]] | None = None) -> tuple[Any, Any]:
    failures = write(root / "f.jsonl", "".join(json.dumps(one) + "\n" for one in records)) if records else None
    project = init_files(target, failures, root=root)
    for path, text in project.files.items():
        write(path, text)
    spec = load_spec(project.spec).spec
    return spec, load_evalset(root / spec.evalset.file).evalset


def test_failures_with_answers_are_measured_by_their_pass_rate(tmp_path: Path) -> None:
    target = write(tmp_path / "prompts" / "Support Triage.md", "Route the message.")
    records = [{"id": "a", "input": "x", "expected": "y", "output": "z"}, {"id": "b", "input": "w", "expected": "v"}]
    spec, evalset = made(tmp_path, target, records)
    assert spec.name == evalset.name == "support-triage"
    assert spec.target.files == ("prompts/Support Triage.md",)
    assert (spec.metric.primary.type, spec.metric.primary.name) == ("hard", "pass_rate")
    assert spec.execution.mode == "serial"
    assert (spec.stopping.max_iterations, spec.stopping.max_hours, spec.stopping.max_total_cost_usd) == (4, 1, 5)
    assert [case.id for case in evalset.cases] == ["a", "b"]


def test_failures_without_answers_are_measured_by_a_judge_that_knows_the_faults(tmp_path: Path) -> None:
    target = write(tmp_path / "p.md", "Explain.")
    spec, _ = made(tmp_path, target, [{"input": "x", "output": "z", "reason": "Too\nterse: no cause"}])
    assert spec.metric.primary.type == "judge"
    assert "- Too terse: no cause\n" in spec.metric.judge.rubric
    assert (spec.metric.judge.sample_size, spec.metric.judge.batch_size) == (10, 5)


def test_without_failures_there_is_one_case_to_replace(tmp_path: Path) -> None:
    spec, evalset = made(tmp_path, write(tmp_path / "p.md", "Explain."))
    assert spec.metric.primary.type == "hard"
    assert [case.id for case in evalset.cases] == ["example"]


def test_a_template_is_recognised_by_the_cases_that_fill_it(tmp_path: Path) -> None:
    target = write(tmp_path / "p.md", "Answer {{question}} briefly. {not this}")
    spec, _ = made(tmp_path, target, [{"input": {"question": "x"}, "expected": "y"}])
    assert (spec.target.kind, spec.target.role, spec.target.syntax) == ("template", "template", "double-brace")


@pytest.mark.parametrize(
    ("name", "text", "syntax", "example"),
    [
        ("p.md", "Answer {{question}} for {{ shop }}.", "double-brace", {"question": PUT, "shop": PUT}),
        ("p.txt", "Hi ${NAME}.", "shell", {"NAME": PUT}),
        ("p.md", "Hi {user.name}: {message}", "brace", {"user": {"name": PUT}, "message": PUT}),
        ("p.j2", "{% if late %}Hi {{ user.name|upper }}{% endif %}", "jinja", {"late": PUT, "user": {"name": PUT}}),
        ("p.md", 'Answer as {"score": 1}, not as `{x}`.', None, PUT),
        ("SKILL.md", "Hi {user}.", None, PUT),
        ("AGENTS.md", "Use ${HOME} and {x}.", None, PUT),
    ],
)
def test_without_failures_a_template_is_known_by_its_placeholders(
    tmp_path: Path, name: str, text: str, syntax: str | None, example: object
) -> None:
    spec, evalset = made(tmp_path, write(tmp_path / "prompts" / name, text))
    assert (spec.target.kind == "template", spec.target.syntax) == (syntax is not None, syntax)
    assert evalset.cases[0].input == example
    assert is_example(evalset.cases[0])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Sort {message}.", "template"),
        ("Answer as {queue}: {reason}", "prompt"),
        ("Answer as {queue}", "prompt"),
        ("Sort {{ message }}.", "template"),
        ("Sort {input} into {queues}.", "template"),
    ],
)
def test_plain_inputs_fill_what_is_meant_for_an_input(tmp_path: Path, text: str, kind: str) -> None:
    records = [{"input": "x", "expected": "y"}, {"input": "w", "expected": "v"}]
    assert made(tmp_path, write(tmp_path / "p.md", text), records)[0].target.kind == kind


def test_inputs_that_fill_nothing_make_no_template(tmp_path: Path) -> None:
    spec, _ = made(tmp_path, write(tmp_path / "p.md", "Say {a}."), [{"input": {"question": "x"}, "expected": "y"}])
    assert spec.target.kind == "prompt"


def test_what_a_skill_tells_to_open_is_sent_along(tmp_path: Path) -> None:
    write(tmp_path / "skills" / "foo" / "references" / "queues.md", "Queues.")
    write(tmp_path / "skills" / "foo" / "references" / "run.py", "pass")
    spec, _ = made(tmp_path, write(tmp_path / "skills" / "foo" / "SKILL.md", "---\nname: foo\n---\nSort.\n"))
    assert (spec.target.kind, spec.target.references) == ("skill", ("skills/foo/references/queues.md",))


def test_an_example_is_one_until_its_words_are_replaced() -> None:
    example = example_case("Sort.", "none")
    assert is_example(example.model_copy(update={"input": "Mine"}))
    assert not is_example(example.model_copy(update={"input": "Mine", "expected": "yes"}))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    target = write(tmp_path / "p.md", "Explain.")
    write(tmp_path / "evals" / "p.yaml", "mine")
    with pytest.raises(SetupError, match=r"evals/p\.yaml is there already; nothing was written"):
        init_files(target, root=tmp_path)
    write(tmp_path / "p.spec.yaml", "mine")
    with pytest.raises(SetupError, match=r"p\.spec\.yaml and evals/p\.yaml are there already"):
        init_files(target, root=tmp_path)


def test_a_target_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        init_files(tmp_path / "none.md", root=tmp_path)
    with pytest.raises(InputError, match=r"empty\.md: is empty: write the instruction first"):
        init_files(write(tmp_path / "empty.md", "\ufeff \n"), root=tmp_path)
    outside = write(tmp_path / "p.md", "x")
    (tmp_path / "inner").mkdir()
    with pytest.raises(InputError, match="is outside"):
        init_files(outside, root=tmp_path / "inner")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("skills/pdf-filler/SKILL.md", "pdf-filler"),
        ("prompts/Ärger & Co.txt", "arger-co"),
        ("AGENTS.md", "my-repo"),
        ("提示/提示.md", "my-repo"),
    ],
)
def test_names(tmp_path: Path, place: str, name: str) -> None:
    assert project_name(Path(place), tmp_path / "My_Repo") == name
