"""The `api` harness against a real endpoint: registered first, paid under caps, never paid twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from stub_endpoint import StubEndpoint, completion, failure
from study_project import CHECKLIST, commit_all, make_study, review

from ceopt_tui.errors import AuthError, BudgetError, InputError, SetupError
from ceopt_tui.study.freezing import freeze
from ceopt_tui.study.planning import StudyPlan, plan_study, require_budget
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import Surroundings, read_study, run_study
from ceopt_tui.system_clock import SystemClock
from schemas.study_loading import load_study

KEY = "sk-study-0123456789abcdef"
PRICE = {"usd_per_mtok": {"in": 1000, "out": 1000}}  # 0.06 US dollars for 60 tokens
TARGETS = [{"id": "gpt", "family": "gpt", "harness": "api", "model": "openai/stub"}]


def answer(body: dict[str, Any]) -> Any:
    """A reader that follows the checklist and nothing else."""
    checklist = CHECKLIST.strip() in body["messages"][0]["content"]
    return completion("runs_foreign_code\nshell_injection" if checklist else "looks fine")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint("ok", respond=answer) as stub:
        yield stub


def environ(endpoint: StubEndpoint) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base}


def study(folder: Path, **changes: Any) -> Path:
    """One API target, one case, twice each with both texts: four cells, frozen and committed."""
    parts = {
        "asked": [review(0)],
        "targets": TARGETS,
        "k": 2,
        "parallel": 1,
        "models": {"openai/stub": PRICE},
        **changes,
    }
    root = make_study(folder, **parts)
    freeze(load_study(root))
    commit_all(root)
    return root


def around(folder: Path, endpoint: StubEndpoint, **more: Any) -> Surroundings:
    return Surroundings(
        environ(endpoint), SystemClock(), lambda text: None, lambda done, total: None, folder / "cache", **more
    )


def planned(root: Path, endpoint: StubEndpoint, output: str = "run") -> StudyPlan:
    return plan_study(root, environ(endpoint), output)


async def test_a_registered_study_is_measured_and_paid(tmp_path: Path, endpoint: StubEndpoint) -> None:
    plan = planned(study(tmp_path), endpoint)
    report = report_of(plan.loaded, await run_study(plan, around(tmp_path, endpoint)))
    assert endpoint.posts == 4
    assert report["spent"] == {
        "usd": {"value": 0.24, "tags": ["measured"]}, "calls": {"value": 4, "tags": ["measured"]},
    }  # fmt: skip
    assert {level["text"]: level["score"]["value"] for level in report["levels"]} == {"plain": 0, "checklist": 1}
    [hypothesis] = report["hypotheses"]
    assert not hypothesis["accepted"]
    assert not [one for one in hypothesis["objections"] if "attested" in one]  # a chat call runs nothing here
    assert {tag for level in report["levels"] for tag in level["score"]["tags"]} == {"underpowered", "exploratory"}
    assert report["commit"]


async def test_a_claim_that_holds_with_power_in_both_families_is_accepted(
    tmp_path: Path, endpoint: StubEndpoint
) -> None:
    targets = [*TARGETS, {"id": "other", "family": "claude", "harness": "api", "model": "openai/other"}]
    cases = [
        review(4 * number) | {"id": f"c{number}", "input": f"# {number}\neval(x, shell=True)"} for number in range(8)
    ]
    root = study(tmp_path, asked=cases, targets=targets, k=5, parallel=8)
    plan = planned(root, endpoint)
    report = report_of(plan.loaded, await run_study(plan, around(tmp_path, endpoint)))
    [hypothesis] = report["hypotheses"]
    assert (hypothesis["verdict"], hypothesis["objections"], hypothesis["accepted"]) == ("CONFIRMED", [], True)
    assert {tuple(family["difference"]["tags"]) for family in hypothesis["families"]} == {("measured",)}


async def test_nothing_on_disk_holds_the_key(tmp_path: Path, endpoint: StubEndpoint) -> None:
    plan = planned(study(tmp_path), endpoint)
    await run_study(plan, around(tmp_path, endpoint))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


async def test_a_study_that_was_not_committed_sends_nothing(tmp_path: Path, endpoint: StubEndpoint) -> None:
    root = study(tmp_path)
    (root / "hypotheses.yaml").write_text((root / "hypotheses.yaml").read_text("utf-8") + "\n", encoding="utf-8")
    freeze(load_study(root))
    with pytest.raises(InputError, match=r"hypotheses\.yaml: is not what the commit"):
        await run_study(planned(root, endpoint), around(tmp_path, endpoint))
    assert endpoint.posts == 0
    assert not (root / "artifacts").exists()


async def test_a_commit_of_tomorrow_registers_nothing_today(tmp_path: Path, endpoint: StubEndpoint) -> None:
    root = study(tmp_path)
    past = Surroundings(environ(endpoint), FakeClock(), lambda text: None, lambda done, total: None, tmp_path / "cache")
    assert past.clock.now() < SystemClock().now()
    with pytest.raises(SetupError, match="later than now"):
        await run_study(planned(root, endpoint), past)
    assert endpoint.posts == 0


async def test_the_cap_holds_and_stops_new_calls(tmp_path: Path, endpoint: StubEndpoint) -> None:
    plan = planned(study(tmp_path, budget={"calls": 3}), endpoint)
    with pytest.raises(BudgetError):
        await run_study(plan, around(tmp_path, endpoint))
    assert endpoint.posts == 3
    state = read_study(plan.folder)
    assert len(state.scores) == 3 and state.spent.calls == 3 and "3 calls" in (state.stopped or "")
    with pytest.raises(BudgetError):
        await run_study(plan, around(tmp_path, endpoint))
    assert endpoint.posts == 3


async def test_the_cap_in_money_holds_over_starts(tmp_path: Path, endpoint: StubEndpoint) -> None:
    plan = planned(study(tmp_path, budget={"usd": 1.0}), endpoint)
    for _ in range(4):
        with pytest.raises(BudgetError):
            await run_study(plan, around(tmp_path, endpoint))
    assert read_study(plan.folder).spent.usd <= 1.0
    assert not all(read_study(plan.folder).is_settled(cell.id) for cell in plan.cells)
    assert endpoint.posts * 0.06 == pytest.approx(read_study(plan.folder).spent.usd)


async def test_a_refused_key_ends_the_study(tmp_path: Path, endpoint: StubEndpoint) -> None:
    endpoint.respond = lambda body: failure(401, "bad key", "invalid_api_key")
    plan = planned(study(tmp_path), endpoint)
    with pytest.raises(AuthError):
        await run_study(plan, around(tmp_path, endpoint))
    state = read_study(plan.folder)
    assert not state.scores and state.stopped and not state.is_settled(plan.cells[0].id)


async def test_another_output_gets_kept_replies_and_pays_nothing(tmp_path: Path, endpoint: StubEndpoint) -> None:
    root = study(tmp_path)
    await run_study(planned(root, endpoint), around(tmp_path, endpoint))
    again = planned(root, endpoint, "second")
    report = report_of(again.loaded, await run_study(again, around(tmp_path, endpoint)))
    assert endpoint.posts == 4
    assert report["spent"]["calls"]["value"] == 0 and report["coverage"]["scored"] == 4


async def test_another_endpoint_is_another_study(tmp_path: Path, endpoint: StubEndpoint) -> None:
    root = study(tmp_path)
    await run_study(planned(root, endpoint), around(tmp_path, endpoint))
    with StubEndpoint("ok", respond=answer) as other:
        with pytest.raises(InputError, match="model of gpt was changed since the first call"):
            await run_study(planned(root, other), around(tmp_path, other))
        assert other.posts == 0


def test_the_estimate_is_told_and_held_against_the_budget(tmp_path: Path, endpoint: StubEndpoint) -> None:
    plan = planned(study(tmp_path, budget={"usd": 0.5}), endpoint)
    assert plan.total.calls == 4 and plan.total.usd is not None and plan.total.usd > 0.5
    assert any("4 calls" in line and "USD [soft]" in line and "a cell: 1 call" in line for line in plan.lines())
    with pytest.raises(SetupError, match=r"and the budget is 0\.50"):
        require_budget(plan, confirmed=False)
    require_budget(plan, confirmed=True)
    few = planned(study(tmp_path / "few", budget={"calls": 3}), endpoint)
    with pytest.raises(SetupError, match="4 calls, and the budget is 3"):
        require_budget(few, confirmed=False)
    assert endpoint.posts == 0


def test_a_cap_in_money_needs_a_price(tmp_path: Path, endpoint: StubEndpoint) -> None:
    with pytest.raises(SetupError, match="the price of openai/stub is unknown"):
        planned(study(tmp_path, models={}, budget={"usd": 1}), endpoint)
    unknown = planned(study(tmp_path / "b", models={}), endpoint)
    assert any("price unknown" in line for line in unknown.lines())


def test_a_model_that_is_not_configured_is_refused(tmp_path: Path, endpoint: StubEndpoint) -> None:
    targets = [TARGETS[0] | {"model": "cheap"}]
    with pytest.raises(SetupError, match="no model is configured for `cheap` of the target `gpt`"):
        planned(study(tmp_path, targets=targets), endpoint)


async def test_what_is_sent_names_no_text_case_or_answer(tmp_path: Path, endpoint: StubEndpoint) -> None:
    await run_study(planned(study(tmp_path), endpoint), around(tmp_path, endpoint))
    for received in endpoint.received:
        sent = json.dumps(received.body)
        assert not [word for word in ("review-0", "planted", "H1", "variants", "signs") if word in sent]


async def test_a_call_that_is_interrupted_counts_at_its_most_and_is_made_again(
    tmp_path: Path, endpoint: StubEndpoint
) -> None:
    plan = planned(study(tmp_path), endpoint)
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang(body: dict[str, Any]) -> str:
        loop.call_soon_threadsafe(arrived.set)
        return "hang"

    endpoint.respond = hang
    work = asyncio.create_task(run_study(plan, around(tmp_path, endpoint)))
    await arrived.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    cut_off = read_study(plan.folder)
    assert len(cut_off.unresolved) == 1 and cut_off.spent.soft and cut_off.spent.usd > 0.06
    endpoint.respond = answer
    report = report_of(plan.loaded, await run_study(plan, around(tmp_path, endpoint)))
    assert report["complete"] and report["spent"]["usd"]["tags"] == ["soft"]
    assert report["unresolved"] == list(cut_off.unresolved)
