"""Which open runs measure on an eval set, found in a real repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import FakeClock
from triage_project import make_project

from ceopt_tui.evalset_runs import evalset_source, open_runs
from ceopt_tui.journal.folders import runs_folder
from ceopt_tui.journal.journal import Journal
from schemas.records import AnyRecord, Finished, RunStarted, SplitFrozen

SPLIT = SplitFrozen(selection=("c00",), holdout=("c01", "c02"), report_only=(), groups=(), seed=7)


def started(spec: Path) -> RunStarted:
    return RunStarted(
        run_id="r1",
        name="triage",
        ceopt_version="1",
        repository=str(spec.parent),
        spec_file=str(spec),
        spec_digest="s",
        approval_digest="a",
        measurement_digest="m",
        base_sha="b",
        branch="main",
        texts={"prompts/triage.md": "x"},
        text_digest="t",
        seed=7,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path, "http://localhost").root


def record(root: Path, *records: AnyRecord, name: str = "triage") -> None:
    folder = runs_folder(root, state_root=None, environ={}) / name
    journal = Journal.open(folder, now=FakeClock().now)
    journal.append(list(records))
    journal.close()


def found(root: Path, evalset: str = "evals/triage.yaml") -> list[tuple[str, tuple[str, ...]]]:
    return [(run.name, run.split.holdout) for run in open_runs(root / evalset, ["c00", "c01"], environ={})]


HIDES = [("triage", SPLIT.holdout)]


def test_an_open_run_holds_its_cases_out_until_it_has_finished(root: Path) -> None:
    assert found(root) == []
    record(root, started(root / "spec.yaml"))
    assert found(root) == [], "nothing is divided yet"
    record(root, SPLIT)
    assert found(root) == HIDES
    assert found(root, "spec.yaml") == [], "another file is none of its business"
    record(root, Finished(outcome="improved", exit_status=0, reason="", at="2026-01-05T10:00:00Z"))
    assert found(root) == []


def test_a_run_whose_spec_is_gone_is_known_by_its_cases(root: Path) -> None:
    record(root, started(root / "gone.yaml"), SPLIT)
    assert found(root) == HIDES
    assert open_runs(root / "evals/triage.yaml", ["other"], environ={}) == ()


def test_outside_a_repository_there_are_no_runs(tmp_path: Path) -> None:
    assert open_runs(tmp_path / "cases.yaml", [], environ={}) == ()


def test_a_spec_names_its_files_beside_it_or_from_the_root(root: Path) -> None:
    (root / "deep").mkdir()
    spec = (root / "spec.yaml").read_text("utf-8").replace("seed: 7", "seed: 9, holdout: 0.25")
    (root / "deep" / "spec.yaml").write_text(spec, encoding="utf-8")
    source = evalset_source(root / "deep" / "spec.yaml")
    assert (source.files, source.seed, source.share) == ((root / "evals" / "triage.yaml",), 9, 0.25)
