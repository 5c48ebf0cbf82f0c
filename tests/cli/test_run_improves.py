"""A run from `ceopt approve` to `ceopt apply`, by the real command in a real repository."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, cold, warm
from stub_endpoint import StubEndpoint
from triage_project import CONTRACT, PROMPT, TriageModel, git, make_project, question, users_files

Improved = tuple[Place, Ended, dict[str, object]]  # where, how it ended, what was the user's before
JOURNAL = Path(".context/ceopt/triage/journal.jsonl")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


@pytest.fixture(scope="module")
def improved(endpoint: StubEndpoint, tmp_path_factory: pytest.TempPathFactory) -> Improved:
    """An approved run that has ended, by a fresh interpreter as cron would start it."""
    place = make_project(tmp_path_factory.mktemp("improved"), endpoint.api_base)
    before = users_files(place.root)
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place, cold(place, "run", "spec.yaml", "--unattended", "--json"), before


def test_every_line_of_stdout_is_an_event_and_nothing_is_a_screen_code(
    improved: Improved,
) -> None:
    _, run, _ = improved
    assert run.status == 0, run.err
    assert all(isinstance(event["event"], str) for event in run.events)
    assert "\x1b" not in run.out + run.err
    assert [event["event"] for event in run.events].count("finished") == 1


def test_the_last_line_holds_the_figures_scripts_rely_on(improved: Improved, endpoint: StubEndpoint) -> None:
    last = improved[1].last
    assert (last["event"], last["status"], last["outcome"]) == ("finished", "finished", "improved")
    assert (last["kept"], last["final"], last["unscored"]) == (1, 1.0, 0)
    assert last["calls"] == endpoint.posts == last["scored"]
    assert 0 < last["usd"] < 0.01
    assert last["held_out"]["after"] == 1.0 > last["held_out"]["before"]
    low, high = last["held_out"]["interval"]
    assert 0 < low < last["held_out"]["after"] - last["held_out"]["before"] < high
    assert last["resume"] == f"ceopt run {improved[0].root}/spec.yaml --unattended --json"


def test_nothing_of_the_users_was_touched(improved: Improved) -> None:
    place, _, before = improved
    assert users_files(place.root) == before
    assert git(place.root, "worktree", "list").count("\n") == 1
    assert not git(place.root, "branch", "--list", "optimize-exp/*")


def test_the_optimization_branch_holds_the_text_and_the_report(
    improved: Improved,
) -> None:
    root = improved[0].root
    messages = git(root, "log", "--format=%an %s", "main..optimize/triage").splitlines()
    assert messages[0] == "ceopt optimize(triage): report" and len(messages) == 2
    assert messages[1].startswith("ceopt optimize(triage): state the output contract")
    kept = git(root, "show", "optimize/triage:prompts/triage.md")
    assert CONTRACT in kept and len(kept) > len(PROMPT)
    assert git(root, "show", "optimize/triage:docs/optimize/triage-report.md").startswith("# triage: improved\n")
    assert git(root, "diff", "--name-only", "main...optimize/triage").split() == [
        "docs/optimize/triage-report.html",
        "docs/optimize/triage-report.md",
        "prompts/triage.md",
    ]


def test_held_out_questions_are_in_no_idea_and_no_digest(improved: Improved) -> None:
    root = improved[0].root
    records = [json.loads(line) for line in (root / JOURNAL).read_text(encoding="utf-8").splitlines()]
    split = next(record for record in records if record["kind"] == "split_frozen")
    told = json.dumps([record for record in records if record["kind"] in {"hypothesis_added", "candidate_made"}])
    told += (root / JOURNAL.parent / "strategy-digest.md").read_text(encoding="utf-8")
    for case_id in split["holdout"]:
        assert question(int(case_id[1:])) not in told and f'"{case_id}"' not in told


def test_a_finished_run_run_again_costs_nothing(improved: Improved, endpoint: StubEndpoint) -> None:
    place, first, _ = improved
    posts, journal = endpoint.posts, (place.root / JOURNAL).read_bytes()
    again = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    assert (again.status, again.last) == (0, first.last)
    assert endpoint.posts == posts and (place.root / JOURNAL).read_bytes() == journal


def test_status_log_report_and_diff_read_it(improved: Improved) -> None:
    place = improved[0]
    status = warm().run(place, "status")
    assert status.out.startswith("triage: finished, improved\n  baseline ") and "1 kept" in status.out
    (figures,) = json.loads(warm().run(place, "status", "--json").out)
    assert (figures["status"], figures["kept"], figures["question"]) == ("finished", 1, None)
    log = warm().run(place, "log", "spec.yaml")
    assert log.out.count("id: exp-001") == 1 and "outcome: kept" in log.out
    assert log.out == (place.root / JOURNAL.parent / "experiment-log.yaml").read_text(encoding="utf-8")
    report = warm().run(place, "report", "triage")
    assert report.out == git(place.root, "show", "optimize/triage:docs/optimize/triage-report.md")
    page = Path(warm().run(place, "report", "--html").out.strip())
    assert page.read_text("utf-8") == git(place.root, "show", "optimize/triage:docs/optimize/triage-report.html")
    diff = warm().run(place, "diff")
    assert f"+{CONTRACT}" in diff.out and diff.out.startswith("--- a/prompts/triage.md\n+++ b/prompts/triage.md\n")
    assert "no candidate" in warm().run(place, "diff", "--experiment", "99").err


def test_apply_writes_the_text_and_refuses_when_the_user_changed_it(improved: Improved, tmp_path: Path) -> None:
    place = Place(tmp_path / "repo", tmp_path / "home", improved[0].environ)
    shutil.copytree(improved[0].root, place.root)
    place.home.mkdir()
    target = place.root / "prompts" / "triage.md"
    request = warm().run(place, "apply", "--pr")
    assert request.out.startswith("# triage: state the output contract") and f"+{CONTRACT}" in request.out
    assert target.read_text(encoding="utf-8") == PROMPT
    target.write_text("mine\n", encoding="utf-8")
    refused = warm().run(place, "apply")
    assert refused.status in {2, 3} and target.read_text(encoding="utf-8") == "mine\n"
    target.write_text(PROMPT, encoding="utf-8")
    applied = warm().run(place, "apply")
    assert (applied.status, applied.out) == (0, "written: prompts/triage.md\n")
    assert target.read_text(encoding="utf-8") == git(place.root, "show", "optimize/triage:prompts/triage.md")


def test_in_words_the_run_ends_with_its_counts(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    digest = warm().run(place, "run", "spec.yaml", "--dry-run").out.split()[-1]
    run = warm().run(place, "run", "spec.yaml", "--unattended", "--approve", digest)
    assert run.status == 0 and "\x1b" not in run.out + run.err
    sentence, counts = run.out.splitlines()
    assert sentence.startswith("on 10 unseen cases") and "90% interval" in sentence
    assert counts.startswith("finished: improved; 1 kept of ") and counts.endswith("unscored 0")


def test_a_model_proposes_edits_and_sees_nothing_held_out(tmp_path: Path) -> None:
    model = TriageModel()
    with StubEndpoint(respond=model) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, proposer="llm", seed=8)
        place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
        warm().run(place, "approve", "spec.yaml")
        run = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        assert (run.status, run.last["outcome"]) == (0, "improved"), run.err
        asked = [json.dumps(body) for body in endpoint.bodies if body["model"] == "gpt-4o"]
        assert asked and run.last["calls"] == endpoint.posts
        split = next(event for event in run.events if event["event"] == "split_frozen")
        for case_id in split["holdout"]:
            assert not any(question(int(case_id[1:])) in body for body in asked)
    assert (
        git(place.root, "show", "optimize/triage:prompts/triage.md")
        == f"{PROMPT}\n{CONTRACT}: returns, billing, delivery.\n"
    )
    roles = warm().run(place, "report").out
    assert "- proposer (openai/gpt-4o): " in roles and "- task (openai/gpt-4o-mini): " in roles


def test_a_proposer_that_never_makes_sense_ends_the_run_as_such(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel(edit="I would rather write a poem.")) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, proposer="llm", stopping="max_iterations: 9")
        place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
        warm().run(place, "approve", "spec.yaml")
        run = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        assert (run.status, run.last["status"], run.last["outcome"]) == (3, "stopped", "proposer_failed")
        assert sum(body["model"] == "gpt-4o" for body in endpoint.bodies) <= 3 * 2
    assert users_files(place.root)["status"] == ""


def test_the_plan_and_its_price_are_said_before_anything_is_paid(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel()) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, price=", usd_per_mtok: {in: 1.0, out: 2.0}")
        approved = warm().run(place, "approve", "spec.yaml")
        assert "typical to worst" in approved.err and "USD" in approved.err and endpoint.posts == 0
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    plan = approved.err[approved.err.index("Plan ") : approved.err.index("Clocks ")].splitlines()
    assert plan and ended.err.splitlines()[: len(plan)] == plan
