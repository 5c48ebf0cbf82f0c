"""Studies of programs that work in a folder: gates, tests they never see, and what they leave behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from agent_commands import installed
from agent_world import MODELS, without_sandbox
from study_project import around, commit_all, hypothesis, make_study

from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.errors import InputError
from ceopt_tui.study.freezing import freeze
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.report_markdown import markdown
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import run_study
from ceopt_tui.study.work import left_behind, require_sound_work
from schemas.study_loading import load_study

GREET = 'echo "hello $1"\n'
TREE = {
    "cases/app/greet.sh": "echo hello\n",
    "cases/app/notes.txt": "Greets.\n",
    "cases/golden/greet.sh": GREET,
    "cases/naive/greet.sh": "echo hello Ann\n",
    "cases/unseen/probe_names.sh": 'test "$(sh greet.sh Bo)" = "hello Bo"\n',
}
OUTCOME = {
    "type": "e2e_outcome",
    "tests": "cases/unseen",
    "hidden": ["sh probe_names.sh", "test -f notes.txt"],
    "regression": ["sh greet.sh | grep -q hello"],
    "golden": "cases/golden",
    "naive": "cases/naive",
}
GATE = {"type": "dod_gate", "commands": ['test "$(sh greet.sh Bo)" = "hello Bo"'], "golden": "cases/golden"}
WORKS = """#!/bin/sh
word=$(cat)
case "$word" in
  *token.txt*) printf '%s' "$word" | sed 's/^Write the word \\([0-9a-z]*\\) .*/\\1/' > token.txt ;;
  *"Name the code"*) echo 'echo "hello $1"' > greet.sh ;;
  *) echo 'exit 1' > greet.sh ;;
esac
"""


def study(
    folder: Path, answer: dict[str, Any], *, script: str = WORKS, tree: dict[str, str] = TREE, **changes: Any
) -> Path:
    """Two texts and one case; the program is a script of the study."""
    target = {"id": "own", "family": "oak", "harness": "command", "model": "own", "command": ["./work.sh"]}
    case = {"id": "c", "input": "Greet by name.", "files": "cases/app", "answer": answer}
    parts: dict[str, Any] = {
        "asked": [case], "hypotheses": [hypothesis(metric=answer["type"])], "targets": [target], "k": 1, "parallel": 1,
    }  # fmt: skip
    root = make_study(folder, **parts | changes)
    for name, text in {**tree, "work.sh": script}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "work.sh").chmod(0o755)
    return root


async def ran(root: Path, folder: Path, environ: dict[str, str] | None = None) -> tuple[StudyState, dict[str, Any]]:
    freeze(load_study(root))
    commit_all(root)
    environ = environ or dict(os.environ)
    plan = plan_study(root, environ)
    state = await run_study(plan, around(folder, environ))
    return state, report_of(plan.loaded, state)


async def test_hidden_tests_are_put_in_when_the_program_has_ended(tmp_path: Path) -> None:
    spy = WORKS.replace(
        "word=$(cat)", 'word=$(cat); ls -R > seen.txt; test -e probe_names.sh && exit 9; echo "$word" >> seen.txt'
    )
    state, report = await ran(study(tmp_path, OUTCOME, script=spy), tmp_path)
    assert {level["text"]: level["score"]["value"] for level in report["levels"]} == {"plain": 0.5, "checklist": 1}
    assert {end.detail for end in state.scores.values()} == {
        "1 of 2 hidden, 0 of 1 regression", "2 of 2 hidden, 1 of 1 regression",
    }  # fmt: skip
    assert report["regressions"] == {"cells": 2, "broken": 1}
    assert "worked before no longer does in 1 of 2 cells" in markdown(report)


async def test_a_gate_is_passed_by_all_its_commands_or_not(tmp_path: Path) -> None:
    _, report = await ran(study(tmp_path, GATE), tmp_path)
    assert {level["text"]: level["score"]["value"] for level in report["levels"]} == {"plain": 0, "checklist": 1}


@pytest.mark.parametrize("name", ["claude", "codex"])
async def test_an_agent_finds_the_files_and_what_it_leaves_is_scored(name: str, tmp_path: Path) -> None:
    agent = installed(name, tmp_path / "agent")
    agent.plays(reads=True, files={"greet.sh": GREET})
    target = {"id": "agent", "family": "oak", "harness": name, "model": MODELS[name], "timeout_s": 20}
    case = {"id": "c", "input": "Case 1: greet by name.", "files": "cases/app", "answer": GATE}
    environ = without_sandbox(agent)
    _, report = await ran(study(tmp_path, GATE, targets=[target], asked=[case]), tmp_path, environ)
    assert {level["score"]["value"] for level in report["levels"]} == {1}
    assert {"greet.sh", "notes.txt"} <= set(agent.seen["files"]) and "probe_names.sh" not in str(agent.seen)


@pytest.mark.parametrize(
    ("answer", "tree", "fault"),
    [
        (OUTCOME, TREE | {"cases/golden/greet.sh": "exit 1\n"}, "its golden files do not pass everything"),
        (OUTCOME, TREE | {"cases/naive/greet.sh": GREET}, "its naive files pass everything"),
        (OUTCOME, TREE | {"cases/naive/greet.sh": "exit 1\n"}, "fail a regression command"),
        (GATE, TREE | {"cases/app/greet.sh": GREET}, "its files as they are pass everything"),
    ],
)
async def test_a_case_that_measures_nothing_is_invalid_before_any_call(
    answer: dict[str, Any], tree: dict[str, str], fault: str, tmp_path: Path
) -> None:
    root = study(tmp_path, answer, tree=tree)
    with pytest.raises(InputError, match=fault):
        await require_sound_work(load_study(root))
    freeze(load_study(root))
    commit_all(root)
    with pytest.raises(InputError, match=fault):
        await run_study(plan_study(root, dict(os.environ)), around(tmp_path, dict(os.environ)))
    assert not (root / "artifacts").exists()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"files": None}, "has nothing to work on: `e2e_outcome` needs `files`"),
        ({"input": "See probe_names.sh."}, "names a hidden test: probe_names.sh"),
        ({"files": "cases/nowhere"}, "holds no file: cases/nowhere"),
        ({"files": "../.."}, "must stay inside the repository"),
        ({"answer": {"type": "exact", "value": "x"}}, "has `files`, and `exact` scores what is said"),
    ],
)
def test_work_that_cannot_be_measured_is_refused(changes: dict[str, Any], fault: str, tmp_path: Path) -> None:
    case = {"id": "c", "input": "Greet by name.", "files": "cases/app", "answer": OUTCOME} | changes
    root = study(tmp_path, OUTCOME, asked=[{key: value for key, value in case.items() if value is not None}])
    with pytest.raises(InputError) as caught:
        load_study(root)
    assert fault in str(caught.value), str(caught.value)


def test_work_needs_a_program(tmp_path: Path) -> None:
    root = study(tmp_path, GATE, targets=[{"id": "strong", "family": "oak", "harness": "mock", "model": "m"}])
    with pytest.raises(InputError, match="needs a program that works in a folder, and the target `strong` is `mock`"):
        load_study(root)


def test_what_is_put_in_replaces_whatever_is_there_and_never_leads_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "file").write_text("in the way", encoding="utf-8")
    (folder / "tests.sh").mkdir()
    with left_behind() as left:
        left.take(folder)
        left.put({"link/a.sh": b"#!/bin/sh\n", "file/b": b"b", "tests.sh": b"t"})
        there = {path.relative_to(left.folder).as_posix() for path in left.folder.rglob("*") if path.is_file()}
        assert there == {"link/a.sh", "file/b", "tests.sh"}
        assert os.access(left.folder / "link" / "a.sh", os.X_OK)
    assert list(outside.iterdir()) == []
