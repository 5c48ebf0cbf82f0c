"""`ceopt init`: where the files are, as the user can name them, and what a check says of the example."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import git

from ceopt_tui.commands.check import command as check
from ceopt_tui.commands.evalset import command as evalset
from ceopt_tui.commands.init import command as init


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    (place / "prompts").mkdir(parents=True)
    (place / "prompts" / "triage.md").write_text("Sort the message.\n", encoding="utf-8")
    git(place, "init", "--quiet")
    git(place, "commit", "--quiet", "--allow-empty", "--message", "first")
    return place


@pytest.mark.parametrize(
    ("stands", "target", "spec"),
    [
        (".", "prompts/triage.md", "triage.spec.yaml"),
        ("prompts", "triage.md", "../triage.spec.yaml"),
        ("..", "shop/prompts/triage.md", "shop/triage.spec.yaml"),
    ],
)
def test_files_are_named_from_where_the_user_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch, stands: str, target: str, spec: str
) -> None:
    monkeypatch.chdir(root / stands)
    made = CliRunner().invoke(init, [target])
    named = [line.removeprefix("written: ") for line in made.stdout.splitlines()]
    assert named[0] == spec and all(Path(name).is_file() for name in named)
    assert f"`ceopt run {spec}`" in made.stderr


def test_the_example_is_no_case_to_measure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    CliRunner().invoke(init, ["prompts/triage.md"])
    said = CliRunner().invoke(check, ["triage.spec.yaml"], standalone_mode=False)
    assert said.return_value == 2 and "case example: is the example that `ceopt init` wrote" in said.output
    looked = CliRunner().invoke(evalset, ["check", "evals/triage.yaml"], standalone_mode=False)
    assert looked.return_value == 2 and "error: example: is the example" in looked.output
