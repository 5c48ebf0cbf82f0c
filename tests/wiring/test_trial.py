"""The text of a spec run once on a case: the price first, then one call, from then on its cached reply."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from stub_endpoint import StubEndpoint, failure
from triage_project import TriageModel, make_project

from ceopt_tui.errors import BudgetError, InputError
from ceopt_tui.run_options import RunOptions
from ceopt_tui.trial import Trial
from schemas.evalset import Case

CASE = Case(id="by-hand", input="Case 4: where is it?")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def options(folder: Path, endpoint: StubEndpoint, monkeypatch: pytest.MonkeyPatch, **more: str) -> RunOptions:
    place = make_project(folder, endpoint.api_base, **more)  # type: ignore[arg-type]
    for name, value in place.environ.items():
        monkeypatch.setenv(name, value)
    return RunOptions(place.root / "spec.yaml", attended=True, cache_dir=folder / "cache", environ=dict(os.environ))


async def test_one_call_and_then_its_cached_reply(
    tmp_path: Path, endpoint: StubEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(options(tmp_path, endpoint, monkeypatch))
    assert "gpt-4o-mini at" in await trial.price() and "one call for" in await trial.price()
    assert endpoint.posts == 0
    first, again = await trial.run(CASE), await trial.run(CASE)
    assert first.output == again.output == "This belongs to billing."
    assert endpoint.posts == 1 and again.facts is not None and again.facts.cached
    assert not (tmp_path / "repo" / ".context").exists(), "nothing is journaled"


async def test_an_edited_text_is_what_runs(
    tmp_path: Path, endpoint: StubEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = options(tmp_path, endpoint, monkeypatch)
    trial = Trial(asked)
    await trial.price()
    (tmp_path / "repo" / "prompts" / "triage.md").write_text("Answer with exactly one of these: billing.\n")
    await trial.price()
    assert (await trial.run(CASE)).output == "billing"
    asked.spec_path.write_text("name: [")
    with pytest.raises(InputError):
        await trial.price()


async def test_trials_stay_within_the_caps_of_the_spec(
    tmp_path: Path, endpoint: StubEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(options(tmp_path, endpoint, monkeypatch, stopping="max_calls: 1"))
    await trial.run(CASE)
    with pytest.raises(BudgetError):
        await trial.run(replace_input(CASE, "Case 5: another?"))
    assert endpoint.posts == 1


async def test_a_call_that_fails_is_a_result_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubEndpoint(respond=lambda _body: failure(400, "too long")) as refusing:
        result = await Trial(options(tmp_path, refusing, monkeypatch)).run(CASE)
    assert result.output == "" and result.error is not None and "too long" in result.error


def replace_input(case: Case, text: str) -> Case:
    return case.model_copy(update={"input": text})
