"""The map the app shows is the one of `ceopt coverage`: priced, measured on a real endpoint, read back, outdated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fakes import FakeClock
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, make_project

from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import coverage_folder
from ceopt_tui.ui.coverage_map_source import CoverageFiles, FoundMap
from ceopt_tui.wiring import project_of

PROMPT = b"# Triage\n\nRead the message.\n\nAnswer with exactly one of these: returns, billing, delivery.\n"


@pytest.mark.exhaustive
async def test_a_measurement_started_in_the_app_is_kept_for_runs(tmp_path: Path) -> None:
    model = TriageModel()
    with StubEndpoint(respond=model) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, cases=10, prompt=PROMPT)
        environ = {**os.environ, **place.environ}
        options = RunOptions(
            place.root / "spec.yaml", attended=True, cache_dir=tmp_path / "replies", environ=environ, prune=True
        )
        source, steps = CoverageFiles(options, tmp_path), []
        assert source.read() == FoundMap(None, False)
        assert any(line.startswith("Plan") for line in await source.price())
        assert not model.texts
        await source.measure(lambda title, done, total: steps.append((done, total)))
        assert steps and model.texts
    found = source.read()
    assert found.coverage is not None and (found.current, found.protects, found.hidden) == (True, True, False)
    assert {rule.status for rule in found.coverage.rules} == {"covered", "uncovered"}
    assert all(found.coverage.whole[case] for case in found.coverage.cases)
    (place.root / "prompts" / "triage.md").write_bytes(PROMPT + b"\nBe kind.\n")
    assert source.read().current is False


async def test_while_the_run_is_at_work_it_says_what_to_do_first(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1", cases=10)
    options = RunOptions(place.root / "spec.yaml", attended=True, environ={**os.environ, **place.environ})
    folder = coverage_folder(project_of(options), options)
    with RunLock.acquire(folder, now=FakeClock().now), pytest.raises(BusyError, match="Stop it first"):
        await CoverageFiles(options, folder).price()


async def test_without_a_spec_a_map_can_be_read_but_not_measured(tmp_path: Path) -> None:
    source = CoverageFiles(None, tmp_path)
    assert source.read() == FoundMap(None)
    with pytest.raises(SetupError, match="not where it was"):
        await source.price()
