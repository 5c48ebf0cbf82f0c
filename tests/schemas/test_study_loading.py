"""A study is read strictly: every problem of every file at once, with line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from study_project import hypothesis, make_study, review, route

from ceopt_tui.errors import InputError
from schemas.study_loading import load_study

ONE = {"id": "a", "family": "f", "harness": "mock", "model": "m"}


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as raised:
        load_study(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in raised.value.problems]


def one(folder: Path) -> str:
    [found] = problems(folder)
    return found


def test_a_study_holds_the_bytes_of_all_it_names(tmp_path: Path) -> None:
    root = make_study(tmp_path)
    loaded = load_study(root)
    assert loaded == load_study(root / "study.yaml")
    assert set(loaded.files) == {
        "study.yaml", "hypotheses.yaml", "cases/all.yaml", "variants/plain.md", "variants/checklist.md",
    }  # fmt: skip
    assert all((root / name).read_bytes() == raw for name, raw in loaded.files.items())


def test_bound_targets_stay_as_they_are_and_a_matrix_is_the_full_product(tmp_path: Path) -> None:
    assert [target.id for target in load_study(make_study(tmp_path / "a")).study.bound_targets] == ["strong", "weak"]
    matrix = {
        "harnesses": ["mock", "mock-weak"],
        "models": [{"model": "p/a", "family": "oak"}, {"model": "p/b", "family": "elm"}],
    }
    product = load_study(make_study(tmp_path / "b", targets=[], matrix=matrix)).study.bound_targets
    assert [(target.id, target.harness, target.family) for target in product] == [
        ("mock.p-a", "mock", "oak"), ("mock.p-b", "mock", "elm"),
        ("mock-weak.p-a", "mock-weak", "oak"), ("mock-weak.p-b", "mock-weak", "elm"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"k": 0}, "study.yaml:17: k: must be at least 1"),
        ({"cases": []}, "study.yaml:15: cases: needs at least 1 entry"),
        ({"kk": 3}, "study.yaml:18: kk: "),
        ({"texts": {"a": "../x.md"}}, "study.yaml:4: texts.a: must stay inside the repository"),
        ({"targets": []}, "study.yaml:6: targets: names no target"),
        ({"matrix": {"harnesses": ["mock"], "models": [{"model": "m", "family": "f"}]}}, "stands beside `targets`"),
        ({"targets": [{"id": "a", "family": "f", "harness": "mok", "model": "m"}]}, "known are api, claude, codex"),
        ({"targets": [{"id": "../a", "family": "f", "harness": "mock", "model": "m"}]}, "must be 1 to 64 letters"),
        ({"targets": [{**ONE}, {**ONE}]}, "the target `a` stands twice"),
        ({"budget": {"usd": -1}}, "budget.usd: must be at least 0"),
        ({"texts": {"a/b": "variants/plain.md", "checklist": "variants/checklist.md"}}, "must be 1 to 64 letters"),
        (
            {"targets": [{**ONE, "harness": "api"}, {**ONE, "id": "b", "harness": "api", "family": "g"}]},
            "call the model m of two families",
        ),
    ],
)
def test_what_is_wrong_with_the_study_itself(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    assert any(said in problem for problem in problems(make_study(tmp_path, **changes)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"treatment": "chekclist"}, "is no text of the study: `chekclist`; known are plain, checklist"),
        ({"control": "other"}, "is no text of the study: `other`"),
        ({"control": "checklist"}, "is the treatment itself"),
        ({"metric": "recall"}, "is measured by no case: `recall`; known are score, planted_defect, routing_decision"),
        ({"threshold": 1.5}, "must be at most 1"),
        ({"mechanical": False}, "must be true: `planted_defect` is scored by rule"),
        ({"mechanical": "false"}, "must be true or false"),
    ],
)
def test_what_is_wrong_with_a_hypothesis(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    found = one(make_study(tmp_path, hypotheses=[hypothesis(**change)]))
    assert found.startswith("hypotheses.yaml:")
    assert said in found


def test_two_hypotheses_have_names_of_their_own(tmp_path: Path) -> None:
    assert "the hypothesis `H1` stands twice" in one(make_study(tmp_path, hypotheses=[hypothesis(), hypothesis()]))


def answered(**answer: Any) -> list[dict[str, Any]]:
    """A review first, so that its metric is measured, and a case with this answer."""
    return [review(0), {"id": "x", "input": "Well?", "answer": answer}]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"type": "boolean", "value": "false"}, "must be true or false, not false; remove the quotes"),
        ({"type": "boolean", "value": 0}, "must be true or false"),
        ({"type": "prose", "planted": ["It leaks."]}, "needs a judge: `prose` is scored by a model"),
        ({"type": "prose", "planted": ["a", "A"]}, "hold one thing twice"),
        ({"type": "prose", "planted": ["a"], "tokens": {"b": ["x"]}}, "stand for nothing that is planted: `b`"),
        ({"type": "learning_transfer"}, "the paired sequence, which this version does not have"),
        ({"type": "route", "value": "c", "labels": ["a", "b"]}, "is none of the labels: `c`"),
        ({"type": "route", "value": "a", "labels": ["a", "A"]}, "hold a label twice"),
        ({"type": "findings", "planted": ["c"], "codes": ["a"]}, "is none of the codes: `c`"),
        ({"type": "findings", "planted": ["a", "A"], "codes": ["a", "A"]}, "hold a code twice"),
        ({"type": "number", "value": 1, "tolerance": -1}, "must be at least 0"),
        ({"type": "set", "values": []}, "needs at least 1 entry"),
    ],
)
def test_answers_that_cannot_be_scored_are_refused(tmp_path: Path, answer: dict[str, Any], said: str) -> None:
    found = problems(make_study(tmp_path, asked=answered(**answer)))
    assert any(said in problem and "(case x)" in problem for problem in found)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"id": "../up"}, "must be 1 to 64 letters"),
        ({"id": "review-0"}, "stands twice: 'review-0'"),
        ({"input": " "}, "asks nothing"),
        ({"material": "../../secret.txt"}, "must stay inside"),
        ({"material": "cases/none.py"}, "cannot be read: no such file"),
    ],
)
def test_cases_that_cannot_be_asked_are_refused(tmp_path: Path, case: dict[str, Any], said: str) -> None:
    assert any(said in problem for problem in problems(make_study(tmp_path, asked=[review(0), route(1) | case])))


def test_files_are_texts_inside_the_folder(tmp_path: Path) -> None:
    root = make_study(tmp_path)
    (tmp_path / "outside.md").write_text("secret", encoding="utf-8")
    (root / "variants" / "plain.md").unlink()
    (root / "variants" / "plain.md").symlink_to(tmp_path / "outside.md")
    (root / "variants" / "checklist.md").write_bytes(b"a\xff")
    assert problems(root) == [
        "variants/plain.md: is a link out of the study's folder",
        "variants/checklist.md: is not UTF-8: byte 0xFF at 1",
    ]


def test_material_must_hold_text(tmp_path: Path) -> None:
    root = make_study(tmp_path, asked=[review(0), route(0) | {"material": "cases/m.py"}])
    (root / "cases" / "m.py").write_bytes(b" \n")
    assert "cases[1].material: cases/m.py holds no text" in one(root)


def test_every_file_is_read_before_any_is_refused(tmp_path: Path) -> None:
    root = make_study(tmp_path, asked=answered(type="route", value="c", labels=["a", "b"]))
    (root / "variants" / "plain.md").unlink()
    data = yaml.safe_load((root / "hypotheses.yaml").read_text("utf-8"))
    data["hypotheses"][0]["control"] = "other"
    (root / "hypotheses.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    found = problems(root)
    assert len(found) == 2  # hypotheses are held against the cases once these are sound
    assert {problem.split(":")[0] for problem in found} == {"variants/plain.md", "cases/all.yaml"}


def test_a_text_is_not_held_against_itself(tmp_path: Path) -> None:
    root = make_study(tmp_path, written={"plain": "Same.\n", "checklist": "Same.\n"})
    assert one(root) == "variants/checklist.md: checklist and plain of H1 hold the same bytes"
