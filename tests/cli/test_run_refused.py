"""What stops a run before anything is paid, or with its state kept: exit status, words, and what was not done."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, cold, warm
from stub_endpoint import StubEndpoint
from triage_project import KEY, TriageModel, git, label, make_project, users_files

RUN = ("run", "spec.yaml", "--unattended", "--json")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def one_line(ended: Ended) -> str:
    """The message of a refusal: one line on stderr, and the same as the one event on stdout."""
    (line,) = ended.err.splitlines()
    (event,) = ended.events
    assert (event["event"], event["outcome"], event["calls"]) == ("finished", "refused", 0)
    assert event["reason"] in line
    return line


def test_a_missing_key_is_named_in_one_line(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    place.environ.pop("OPENAI_API_KEY")
    ended = warm().run(place, *RUN)
    assert ended.status == 2 and "OPENAI_API_KEY" in one_line(ended)
    assert endpoint.posts == 0 and not git(place.root, "branch", "--list", "optimize*")


def test_a_missing_model_is_named_in_one_line(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    ended = warm().run(place, *RUN, env={"PATH": os.environ["PATH"], "HOME": str(place.home)})
    assert ended.status == 2 and "CEOPT_MODEL_CHEAP" in one_line(ended)


def test_a_missing_git_is_named(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    ended = warm().run(place, *RUN, env=place.environment(PATH="/nonexistent"))
    assert ended.status == 2 and "git is not installed" in ended.last["reason"]


def test_without_a_terminal_the_app_does_not_start(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    for args in ((), ("run", "spec.yaml")):
        ended = warm().run(place, *args)
        assert (ended.status, ended.out) == (2, "") and "no terminal; use --unattended" in ended.err


def test_an_unattended_run_without_approval_measures_and_waits_for_a_person(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (4, "blocked", "needs_person")
    assert "ceopt approve" in ended.last["reason"]
    assert endpoint.posts == 40
    assert "waits for a person" in warm().run(place, "status").out
    again = warm().run(place, *RUN)
    assert again.status == 4 and endpoint.posts == 40
    assert warm().run(place, "approve", "spec.yaml").status == 0
    assert warm().run(place, *RUN).last["outcome"] == "improved"


def test_an_approval_is_for_exactly_one_spec(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    ended = warm().run(place, *RUN, "--approve", "0" * 64)
    assert ended.status == 2 and "is not the digest of this spec" in ended.err and endpoint.posts == 0
    digest = warm().run(place, "approve", "spec.yaml").out.split()[1]
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text().replace("max_iterations: 3", "max_iterations: 4"))
    assert warm().run(place, *RUN).status == 4
    parked = warm().run(place, *RUN, "--approve", digest)  # of a run that is under way: it waits for its own approval
    assert (parked.status, parked.last["outcome"]) == (4, "needs_person")
    now = warm().run(place, "run", "spec.yaml", "--dry-run").out.split()[-1]
    assert warm().run(place, *RUN, "--approve", now).last["outcome"] == "improved"


def test_a_changed_check_blocks_a_run_that_has_ideas(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base, stopping="max_iterations: 1")
    warm().run(place, "approve", "spec.yaml")
    warm().run(place, *RUN)
    posts = endpoint.posts
    evalset = place.root / "evals" / "triage.yaml"
    evalset.write_text(evalset.read_text() + "  - {id: extra, input: A new one, expected: returns}\n")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["status"]) == (4, "blocked") and "--fresh" in ended.last["reason"]
    assert endpoint.posts == posts
    fresh = warm().run(place, *RUN, "--fresh")
    assert fresh.status == 4 and endpoint.posts > posts  # a new run, with its own approval to come
    assert git(place.root, "branch", "--list", "optimize-archive/*").count("\n") == 1


def test_uncommitted_work_stops_a_run_and_stays_as_it_is(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    (place.root / "prompts" / "triage.md").write_text("A new prompt, not committed.\n", encoding="utf-8")
    (place.root / "untracked-notes.txt").write_text("mine\n", encoding="utf-8")
    before = users_files(place.root)
    ended = warm().run(place, *RUN)
    assert ended.status == 2 and "prompts/triage.md has changes that are not committed" in ended.err
    assert users_files(place.root) == before and endpoint.posts == 0
    assert before["status"] == " M prompts/triage.md\n?? untracked-notes.txt\n"


def test_a_branch_of_an_older_run_is_found_before_anything_is_paid(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    git(place.root, "branch", "optimize/triage")
    git(place.root, "commit", "--quiet", "--allow-empty", "--message", "further")
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["outcome"]) == (2, "refused") and "--fresh" in ended.last["reason"]
    assert endpoint.posts == 0
    fresh = warm().run(place, *RUN, "--fresh")
    assert fresh.status == 0 and endpoint.posts > 40  # approved before: the approval is for the files, not for a run
    assert "the approval of this spec and its caps, given before, holds for the fresh start as well" in fresh.out
    assert git(place.root, "branch", "--list", "optimize-archive/*").count("\n") == 1


def test_where_no_worktree_can_be_made_nothing_falls_back_to_the_users_files(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    tools = tmp_path / "tools"
    tools.mkdir()
    broken = tools / "git"
    broken.write_text(
        f'#!/bin/sh\nfor word in "$@"; do [ "$word" = worktree ] && made=1; [ "$word" = add ] && [ "$made" ] && '
        f'{{ echo "fatal: could not create directory" >&2; exit 128; }}; done\nexec {shutil.which("git")} "$@"\n'
    )
    broken.chmod(0o755)
    before = users_files(place.root)
    ended = warm().run(place, *RUN, env=place.environment(PATH=f"{tools}:{os.environ['PATH']}"))
    assert ended.status == 2 and "could not create directory" in ended.err
    assert users_files(place.root) == before and endpoint.posts == 0


def test_a_run_without_a_keep_leaves_every_byte(tmp_path: Path) -> None:
    """A byte-order mark, CRLF, a Markdown break, a tab, no final newline."""
    source = Path(__file__).parents[1] / "data" / "texts" / "B29_prompt.md"
    model = TriageModel()
    model.answer = lambda text, number: "no idea" if number % 2 else label(number)  # type: ignore[method-assign]
    with StubEndpoint(respond=model) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, prompt=source.read_bytes())
        warm().run(place, "approve", "spec.yaml")
        ended = warm().run(place, *RUN)
    assert ended.last["kept"] == 0 and ended.last["experiments"] >= 1
    target = place.root / "prompts" / "triage.md"
    assert hashlib.sha256(target.read_bytes()).hexdigest().startswith("cc2dd93809c9c0c9")
    assert git(place.root, "diff", "--name-only", "main", "optimize/triage").split() == [
        "docs/optimize/triage-report.html",
        "docs/optimize/triage-report.md",
    ]
    assert model.texts and not any("\ufeff" in text for text in model.texts)


def everything(place: Place, ended: Ended) -> bytes:
    files = [path.read_bytes() for path in place.root.parent.rglob("*") if path.is_file()]
    history = git(place.root, "log", "--all", "--patch").encode()
    return b"\n".join([*files, history, ended.out.encode(), ended.err.encode()])


@pytest.mark.parametrize(
    ("mode", "key", "status"), [("401echo", KEY, 2), ("401echo", f"{KEY}\n", 2), ("ok", f" {KEY}\n", 4)]
)
def test_a_key_is_written_nowhere(mode: str, key: str, status: int, tmp_path: Path) -> None:
    with StubEndpoint(mode, replies=["billing"]) as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        place.environ["OPENAI_API_KEY"] = key
        ended = warm().run(place, *RUN)
        assert ended.status == status
        if mode == "401echo":
            assert endpoint.posts == 1 and "sk-***" in ended.last["reason"]
            assert (ended.last["outcome"], ended.last["status"]) == ("auth", "stopped")
        assert endpoint.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert b"FAKE-ABCDEFGH" not in everything(place, ended)
    if key != KEY:
        assert "had white space around it" in ended.out


def test_what_headers_of_a_model_hold_is_on_no_record(endpoint: StubEndpoint, tmp_path: Path) -> None:
    price = ", params: {extra_headers: {X-Gateway: abcdef0123456789abcdef}}"
    place = make_project(tmp_path, endpoint.api_base, price=price)
    ended = warm().run(place, *RUN)
    journal = (place.root / ".context" / "ceopt" / "triage" / "journal.jsonl").read_text()
    assert ended.status == 4 and endpoint.received[0].headers["x-gateway"] == "abcdef0123456789abcdef"
    assert "X-Gateway" in journal and "abcdef0123456789abcdef" not in journal + ended.out + ended.err


def test_no_quota_is_one_post_and_no_verdict(tmp_path: Path) -> None:
    with StubEndpoint("quota") as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["status"], ended.last["outcome"]) == (3, "stopped", "quota")
        assert "quota" in ended.last["reason"] and "openai" in ended.last["reason"]
        assert endpoint.posts == ended.last["calls"] == 1 and ended.last["scored"] == 0
        endpoint.respond = TriageModel()
        assert warm().run(place, *RUN).status == 4  # measured now, and waits for its approval


@pytest.mark.parametrize(
    ("mode", "said"), [("429", "rate limit"), pytest.param("500", "stub failure", marks=pytest.mark.exhaustive)]
)
def test_a_dead_endpoint_is_three_posts_and_no_verdict(mode: str, said: str, tmp_path: Path) -> None:
    with StubEndpoint(mode) as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["status"]) == (3, "stopped")
        assert endpoint.posts == ended.last["calls"] == 3
        times = [request.at_s for request in endpoint.received]
        gaps = [after - before for before, after in pairwise(times)]
        assert mode != "429" or min(gaps) >= 1.0
    assert said in ended.last["reason"].lower() and "tenacity" not in ended.out + ended.err
    assert (ended.last["baseline"], ended.last["scored"], ended.last["experiments"]) == (None, 0, 0)


def test_an_outage_in_the_middle_keeps_what_was_paid_for(tmp_path: Path) -> None:
    model = TriageModel(opening=True)
    with StubEndpoint(respond=model) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, more="runner: {retries: 0}")
        warm().run(place, "approve", "spec.yaml")
        endpoint.respond = lambda body: model(body) if endpoint.posts <= 50 else "500"
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["status"], ended.last["outcome"]) == (3, "stopped", "outage")
        assert ended.last["kept"] == 0 and endpoint.posts <= 50 + 3 + 5 + 4
        endpoint.respond = model
        resumed = warm().run(place, *RUN)
        assert (resumed.status, resumed.last["outcome"], resumed.last["unscored"]) == (0, "improved", 0)


def test_an_item_that_errors_left_unscored_does_not_end_with_0(tmp_path: Path) -> None:
    model = TriageModel()
    with StubEndpoint() as endpoint:
        place = make_project(tmp_path, endpoint.api_base, more="runner: {retries: 0}")
        warm().run(place, "approve", "spec.yaml")
        endpoint.respond = lambda body: "500" if "Case 4:" in body["messages"][-1]["content"] else model(body)
        ended = warm().run(place, *RUN)
    assert ended.last["outcome"] == "improved"
    assert ended.status == 3 and "without a score" in ended.last["reason"] and ended.last["unscored"] > 0


def test_a_cap_on_money_refuses_a_model_without_a_price(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base, stopping="max_total_cost_usd: 1.00")
    place.environ["CEOPT_MODEL_CHEAP"] = "openai/acme-judge-9"
    ended = warm().run(place, *RUN)
    assert ended.status == 2 and endpoint.posts == 0
    assert "acme-judge-9" in ended.err and "price" in ended.err and "usd_per_mtok" in ended.err


def test_an_unknown_price_is_never_nothing(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    place.environ["CEOPT_MODEL_CHEAP"] = "openai/acme-judge-9"
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert ended.status == 0 and ended.last["usd"] is None and ended.last["calls"] == endpoint.posts
    log = warm().run(place, "log").out
    assert "cost_usd: null" in log and "cost_usd: 0" not in log
    assert "cost unknown" in warm().run(place, "report").out


def test_missing_token_counts_are_estimates(tmp_path: Path) -> None:
    model = TriageModel()
    silent = {"usage": None}
    with StubEndpoint(respond=lambda body: (200, model(body)[1] | silent, {})) as endpoint:
        place = make_project(
            tmp_path, endpoint.api_base, price=", usd_per_mtok: {in: 1.0, out: 2.0}", stopping="max_total_cost_usd: 1"
        )
        ended = warm().run(place, *RUN)
    runs = [event for event in ended.events if event["event"] == "case_run"]
    assert runs and all(run["facts"]["estimated"] and run["facts"]["input_tokens"] > 0 for run in runs)
    assert ended.last["usd"] > 0


def test_a_second_process_is_refused_and_a_signal_keeps_the_state(tmp_path: Path) -> None:
    model = TriageModel()
    with StubEndpoint(respond=model, delay_s=0.1) as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        warm().run(place, "approve", "spec.yaml")
        ended: list[Ended] = []
        stop = threading.Event()
        first = threading.Thread(
            target=lambda: ended.append(warm().run_until(stop.is_set, place, *RUN, number=signal.SIGTERM))
        )
        first.start()
        while endpoint.posts < 3:
            time.sleep(0.01)
        second = cold(place, *RUN)
        stop.set()
        first.join()
        assert second.status == 75 and "in use by process" in second.last["reason"]
        (stopped,) = ended
        assert (stopped.status, stopped.last["status"], stopped.last["outcome"]) == (143, "waiting", "interrupted")
        endpoint.delay_s = 0
        before = endpoint.posts
        resumed = warm().run(place, *RUN)
        assert resumed.last["outcome"] == "improved"
        assert endpoint.posts <= 97 + 4 and endpoint.posts - before < 97
    assert git(place.root, "worktree", "list").count("\n") == 1


def test_minutes_used_up_ask_to_be_run_again(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    ended = warm().run(place, *RUN, "--max-minutes", "0")
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (75, "waiting", "time")
    assert endpoint.posts == 0


def test_state_elsewhere_is_of_one_repository_only(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path / "one", endpoint.api_base)
    other = make_project(tmp_path / "two", endpoint.api_base)
    root = str(tmp_path / "state")
    assert warm().run(place, *RUN, "--state-root", root).status == 4
    assert (tmp_path / "state" / "triage" / "journal.jsonl").is_file()
    assert not (place.root / ".context").exists()
    refused = warm().run(other, *RUN, "--state-root", root)
    assert refused.status == 2 and "another" in refused.err


def test_a_finished_run_says_so_without_a_model_or_a_key(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    warm().run(place, "approve", "spec.yaml")
    finished = warm().run(place, *RUN)
    assert (finished.status, finished.last["outcome"]) == (0, "improved")
    posts, bare = endpoint.posts, {"PATH": os.environ["PATH"], "HOME": str(place.home)}
    for environ in (bare, {**bare, "CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini"}):
        again = warm().run(place, *RUN, env=environ)
        assert again.status == 0 and again.last == {**finished.last, "resume": again.last["resume"]}
    assert endpoint.posts == posts
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text().replace("max_iterations: 3", "max_iterations: 9, target_reached: false"))
    evalset = place.root / "evals" / "triage.yaml"
    evalset.write_text(evalset.read_text() + "  - {id: extra, input: A new one, expected: returns}\n")
    assert warm().run(place, *RUN, env=bare).status == 2, "what it would measure has changed"
