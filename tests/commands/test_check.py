"""`ceopt check`: a spec with everything it points at; a run names the same faults, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from ceopt_process import Place
from click.testing import CliRunner
from triage_project import make_project

from ceopt_tui.commands import check
from ceopt_tui.errors import InputError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.inputs import open_project


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_project(tmp_path, "http://127.0.0.1:9/v1")


def look(path: Path) -> tuple[int, str]:
    result = CliRunner().invoke(check.command, [str(path)], standalone_mode=False)
    assert result.exception is None, result.exception
    return int(result.return_value), result.output


def test_a_sound_spec_and_eval_set_have_no_problems(place: Place) -> None:
    for name in ("spec.yaml", "evals/triage.yaml"):
        assert look(place.root / name) == (ExitStatus.FINISHED, f"{place.root / name}: no problems\n")


def test_every_missing_file_is_named_by_check_and_by_a_run(place: Place) -> None:
    (place.root / "prompts" / "triage.md").unlink()
    (place.root / "evals" / "triage.yaml").unlink()
    spec = place.root / "spec.yaml"
    status, said = look(spec)
    assert status == ExitStatus.REFUSED
    with pytest.raises(InputError) as refused:
        open_project(spec)
    for words in ("prompts/triage.md is not there", "evals/triage.yaml is not there"):
        assert words in said and words in str(refused.value)


def test_the_eval_sets_own_problems_are_named(place: Place) -> None:
    evalset = place.root / "evals" / "triage.yaml"
    evalset.write_text(evalset.read_text("utf-8").replace("id: c01", "id: c00"), "utf-8")
    status, said = look(place.root / "spec.yaml")
    assert status == ExitStatus.REFUSED
    assert "evals/triage.yaml:" in said and "c00" in said


def test_what_this_version_cannot_carry_out_is_named(place: Place) -> None:
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text("utf-8").replace("direction: maximize", "direction: minimize"), "utf-8")
    status, said = look(spec)
    assert status == ExitStatus.REFUSED and "metric.primary.direction" in said


def test_outside_a_repository_files_are_looked_for_beside_the_spec(place: Place, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "spec.yaml").write_bytes((place.root / "spec.yaml").read_bytes())
    status, said = look(alone / "spec.yaml")
    assert status == ExitStatus.REFUSED and said.count("is not there") == 2
