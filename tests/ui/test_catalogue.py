"""Runs and specs found in a real repository."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from histories import begun, state_of, tried

from ceopt_tui.errors import InputError
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.looking import at_work, read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.ui.catalogue import MOST_ADDED, RepositoryCatalogue, entry_of_spec
from ceopt_tui.ui.run_model import RunModel
from schemas.records import Noted, RunStarted, TickEnded, TickStarted

SPEC = """\
name: {name}
description: Route a message
target: {{files: [prompt.md]}}
evalset: {{file: evals.yaml}}
metric: {{primary: {{type: {type}, name: pass_rate, direction: maximize}}}}
"""
CASES = "name: cases\ncases:\n" + "".join(f"  - {{id: c{i}, input: question {i}, expected: a{i}}}\n" for i in range(12))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "prompt.md").write_text("Answer.\n", encoding="utf-8")
    (tmp_path / "evals.yaml").write_text(CASES, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(SPEC.format(name="triage", type="hard"), encoding="utf-8")
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(tmp_path), "add", "--all"], check=True)
    subprocess.run(["git", "-C", str(tmp_path), *who, "commit", "--quiet", "--message", "first"], check=True)
    return tmp_path


def catalogue(repository: Path) -> RepositoryCatalogue:
    return RepositoryCatalogue(repository, RunOptions(Path(), attended=True, environ={}))


def test_a_spec_without_a_run_is_listed_as_new(repository: Path) -> None:
    (entry,) = catalogue(repository).entries()
    assert (entry.name, entry.place, entry.fault) == ("triage", "spec.yaml", "")
    assert entry.options is not None and entry.options.spec_path == repository / "spec.yaml"
    assert entry.options.attended and entry.state.started is None and entry.terms is not None


def test_other_yaml_is_no_spec(repository: Path) -> None:
    (repository / "compose.yaml").write_text("services: {}\n", encoding="utf-8")
    (repository / "broken.yaml").write_text("metric: [\n", encoding="utf-8")
    (repository / "large.yaml").write_text("metric: x\n" * 50_000, encoding="utf-8")
    assert [entry.name for entry in catalogue(repository).entries()] == ["triage"]


def test_a_spec_that_cannot_run_says_why_and_hides_no_other(repository: Path) -> None:
    missing = SPEC.format(name="adrift", type="hard").replace("prompt.md", "gone.md")
    (repository / "adrift.yaml").write_text(missing, encoding="utf-8")
    adrift, triage = catalogue(repository).entries()
    assert "gone.md is not there" in adrift.fault and adrift.options is None
    assert triage.fault == ""


def test_a_run_is_listed_with_its_state_and_its_spec(repository: Path) -> None:
    fresh = entry_of_spec(RunOptions(repository / "spec.yaml", environ={}))
    records = [record for record in begun() if record.kind != "run_started"]
    started = next(record for record in begun() if isinstance(record, RunStarted))
    journal = Journal.open(fresh.folder, now=SystemClock().now)
    journal.append([started.model_copy(update={"spec_file": str(repository / "spec.yaml")}), *records])
    journal.close()
    (entry,) = catalogue(repository).entries()
    assert entry.state.baseline is not None and entry.options is not None and entry.terms is not None
    assert not entry.at_work, "its process ran on another machine"
    read = catalogue(repository).reread(entry)
    assert read.state.baseline is not None and catalogue(repository).reread(read) is read
    fresh.folder.rename(fresh.folder.with_name("archived"))
    assert catalogue(repository).reread(read).state.started is None
    fresh.folder.with_name("archived").rename(fresh.folder)
    again = entry_of_spec(RunOptions(repository / "spec.yaml", environ={}))
    assert again.state.baseline is not None
    assert entry_of_spec(RunOptions(repository / "spec.yaml", environ={}, fresh=True)).state.baseline is None
    (repository / "spec.yaml").write_text("metric: [", encoding="utf-8")
    (broken,) = catalogue(repository).entries()
    assert broken.terms is None and broken.state.baseline is not None
    (repository / "spec.yaml").unlink()
    (gone,) = catalogue(repository).entries()
    assert gone.options is None


def test_what_another_process_added_is_read_on_and_taken_in_once(repository: Path) -> None:
    entry = entry_of_spec(RunOptions(repository / "spec.yaml", environ={}))
    opening = begun()
    with Journal.open(entry.folder, now=SystemClock().now) as journal:
        journal.append(opening)
        read = catalogue(repository).reread(entry)
        model = RunModel(read)
        journal.append(tried(1, "be kind", "reverted", "no gain", "Be kind.\n"))
        added = catalogue(repository).reread(read)
        assert added.state is read.state and not read.state.experiments and len(added.added) == 4
        model.follow(added)
        assert model.state is read.state and model.state.experiments[1].outcome == "reverted"
        assert catalogue(repository).reread(model.entry) is model.entry
        journal.append([TickEnded(tick=1, active_s=1, status="waiting", reason="later")])
        model.follow(catalogue(repository).reread(model.entry))
        assert model.state.last_tick is not None and model.state == read_state(entry.folder)
        journal.append([Noted(text="more")] * (MOST_ADDED + 1))
        anew = catalogue(repository).reread(model.entry)
    assert anew.state is not model.state and not anew.added and len(anew.state.notes) == MOST_ADDED + 1


def test_a_pruning_run_goes_on_as_one(repository: Path) -> None:
    spec = repository / "spec.yaml"
    run, pruning = (entry_of_spec(RunOptions(spec, environ={}, prune=prune)) for prune in (False, True))
    assert pruning.name == "triage-prune" and pruning.terms is not None and pruning.terms.pruning
    for entry in (run, pruning):
        started = next(record for record in begun() if isinstance(record, RunStarted))
        journal = Journal.open(entry.folder, now=SystemClock().now)
        journal.append([started.model_copy(update={"spec_file": str(spec), "name": entry.name})])
        journal.close()
    found = {entry.name: entry for entry in catalogue(repository).entries()}
    assert {name: entry.options.prune for name, entry in found.items() if entry.options} == {
        "triage": False,
        "triage-prune": True,
    }
    assert found["triage-prune"].terms == pruning.terms
    spec.write_text(SPEC.format(name="triage-prune", type="hard"), encoding="utf-8")  # now a spec has that very name
    found = {entry.name: entry for entry in catalogue(repository).entries()}
    assert found["triage-prune"].options is not None and not found["triage-prune"].options.prune
    spec.write_text("metric: [", encoding="utf-8")
    assert {entry.terms for entry in catalogue(repository).entries()} == {None}


def test_a_broken_spec_is_refused_before_the_app_opens(repository: Path) -> None:
    (repository / "spec.yaml").write_text("name: triage\n", encoding="utf-8")
    with pytest.raises(InputError):
        entry_of_spec(RunOptions(repository / "spec.yaml", environ={}))


def test_a_run_is_at_work_while_another_process_holds_it(tmp_path: Path) -> None:
    def ticking(pid: int) -> TickStarted:
        return TickStarted(tick=2, pid=pid, host=socket.gethostname())

    other, own = (state_of(begun(), [ticking(pid)]) for pid in (os.getppid(), os.getpid()))
    assert not at_work(other, tmp_path), "the number of its process may be another's by now"
    with RunLock.acquire(tmp_path, now=SystemClock().now):
        assert at_work(other, tmp_path) and not at_work(own, tmp_path)
    assert not at_work(other, tmp_path)


def test_state_root_is_where_runs_are_looked_for(repository: Path, tmp_path: Path) -> None:
    options = replace(RunOptions(repository / "spec.yaml", environ={}), state_root=tmp_path / "elsewhere")
    assert entry_of_spec(options).folder == tmp_path / "elsewhere" / "triage"
