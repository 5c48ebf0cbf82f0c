"""`ceopt judge` against an endpoint that answers, counts and fails on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from stub_endpoint import StubEndpoint, completion

from ceopt_tui.commands.judge import command
from ceopt_tui.errors import AuthError, InputError, SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.system_clock import SystemClock
from judges.judge_command import JudgeOptions, judge_file, plan_judging
from judges.judge_rows import JudgeSummary
from judges.rubric import Scale
from judges.user_config import user_config_file

DATA = Path(__file__).parent.parent / "data" / "judge"
KEY = "sk-FAKE-ABCDEFGH12345678"


@dataclass
class Run:
    """What one run of the command gave and cost."""

    rows: list[dict[str, Any]]
    summary: JudgeSummary
    posts: int
    said: list[str]

    @property
    def scores(self) -> list[float | None]:
        return [row["score"] for row in self.rows]


@dataclass
class World:
    """One endpoint, one cache, one set of options."""

    endpoint: StubEndpoint
    options: JudgeOptions
    environ: dict[str, str] = field(default_factory=dict)

    async def run(self, **changes: Any) -> Run:
        before, said = self.endpoint.posts, []
        plan = plan_judging(replace(self.options, **changes), self.environ, said.append)
        given = [row async for row in judge_file(plan, clock=SystemClock(), warn=said.append, sleep=_no_sleep)]
        summary = given.pop()
        assert isinstance(summary, JudgeSummary)
        return Run([row.to_json() for row in given], summary, self.endpoint.posts - before, said)


async def _no_sleep(_seconds: float) -> None:
    """Waiting is not under test here."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with StubEndpoint("ok") as endpoint:
        options = JudgeOptions(
            DATA / "items.jsonl", DATA / "rubric_amount.txt", model="openai/stub", cache_dir=tmp_path / "cache"
        )
        yield World(endpoint, options, {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": endpoint.api_base})


def _each_item(body: dict[str, Any], verdict: Callable[[str], dict[str, Any]]) -> Any:
    user = body["messages"][-1]["content"]
    ids = [line.split('"')[1] for line in user.splitlines() if line.startswith("<<<") and " item " in line]
    marker = user[3:].split(" ")[0]
    rows = [{"item_id": item_id, "feedback": "Say why."} | verdict(item_id) for item_id in ids]
    return completion(json.dumps({"marker": marker, "verdicts": rows}))


async def test_a_verdict_is_asked_for_once_until_the_rubric_changes(world: World) -> None:
    posts = [(await world.run()).posts, (await world.run()).posts]
    posts.append((await world.run(rubric=DATA / "rubric_date.txt")).posts)
    assert posts == [4, 0, 4]


@pytest.mark.parametrize("change", [{"model": "openai/other"}, {"scale": Scale(0, 2)}])
async def test_another_judge_is_asked_anew(world: World, change: dict[str, Any]) -> None:
    await world.run()
    assert (await world.run(**change)).posts == 4


async def test_order_and_file_name_do_not_matter(world: World, tmp_path: Path) -> None:
    await world.run()
    lines = (DATA / "items.jsonl").read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join(reversed(lines)), encoding="utf-8")
    run = await world.run(items=other)
    assert (run.posts, [row["id"] for row in run.rows]) == (0, ["i4", "i3", "i2", "i1"])
    assert all(row["cached"] for row in run.rows)


async def test_repeats_are_real_calls_and_only_the_new_ones_are_made(world: World) -> None:
    assert (await world.run()).posts == 4
    run = await world.run(repeats=3)
    assert run.posts == 8
    assert [(row["id"], row["repeat"]) for row in run.rows[3:6]] == [("i4", 1), ("i1", 2), ("i2", 2)]
    assert [row["cached"] for row in run.rows] == [True] * 4 + [False] * 8


async def test_without_cache_nothing_is_read_or_kept(world: World) -> None:
    assert [(await world.run(use_cache=False)).posts for _ in range(2)] == [4, 4]
    assert (await world.run()).posts == 4
    assert (await world.run(use_cache=False)).posts == 4


async def test_a_missing_feedback_costs_nothing(world: World) -> None:
    run = await world.run()
    assert run.rows[0] == {"id": "i1", "repeat": 1, "score": 0.5, "unscored": None, "feedback": "", "cached": False}
    assert run.summary.to_json() == {"summary": {"scored": 4, "unscored": 0, "calls": 4, "usd": None}}
    assert run.summary.exit_status is ExitStatus.FINISHED


async def test_batches_cost_fewer_calls_and_share_the_same_cache(world: World) -> None:
    world.endpoint.respond = lambda body: _each_item(body, lambda item_id: {"score": int(item_id[1]) / 4})
    run = await world.run(batch_size=3)
    assert (run.posts, run.scores) == (2, [0.25, 0.5, 0.75, 1.0])
    assert (await world.run()).posts == 0


async def test_no_quota_is_one_request_and_no_verdict(world: World) -> None:
    world.endpoint.mode = "quota"
    run = await world.run(repeats=2)
    assert (run.posts, run.scores) == (1, [None] * 8)
    assert run.summary.exit_status is ExitStatus.STOPPED
    assert "openai" in str(run.summary.stopped)
    assert "quota" in str(run.summary.stopped)
    world.endpoint.mode = "ok"
    assert (await world.run()).scores == [0.5] * 4


@pytest.mark.parametrize(("mode", "words"), [("429", "rate limit"), ("500", "server error")])
async def test_an_endpoint_that_is_down_gets_three_requests_in_all(world: World, mode: str, words: str) -> None:
    world.endpoint.mode = mode
    run = await world.run()
    assert (run.posts, run.scores) == (3, [None] * 4)
    assert run.summary.exit_status is ExitStatus.STOPPED
    assert all(words in row["unscored"] for row in run.rows)


async def test_one_item_that_fails_makes_the_run_fail(world: World) -> None:
    world.endpoint.respond = lambda body: "500" if "order 3" in body["messages"][-1]["content"] else "ok"
    run = await world.run()
    assert run.scores == [0.5, 0.5, None, 0.5]
    assert (run.summary.mean, run.summary.exit_status) == (0.5, ExitStatus.STOPPED)


async def test_a_refused_key_is_one_request(world: World) -> None:
    world.endpoint.mode = "401echo"
    with pytest.raises(AuthError) as caught:
        await world.run()
    assert world.endpoint.posts == 1
    assert KEY not in str(caught.value)
    assert "sk-***" in str(caught.value)


async def test_replies_cut_off_by_their_limit_are_unscored(world: World) -> None:
    world.endpoint.mode = "null"
    run = await world.run()
    assert {row["unscored"] for row in run.rows} == {"truncated (length)"}
    assert run.posts == 8
    world.endpoint.mode = "ok"
    assert (await world.run()).scores == [0.5] * 4


async def test_replies_without_choices_are_the_providers_error(world: World) -> None:
    world.endpoint.mode = "nochoices"
    run = await world.run()
    assert all("provider error: no choices" in row["unscored"] for row in run.rows)
    assert run.summary.exit_status is ExitStatus.STOPPED


async def test_unusable_replies_are_asked_for_once_more_and_kept(world: World) -> None:
    world.endpoint.replies = ["I would say 0.8."]
    run = await world.run()
    assert run.posts == 8
    assert run.rows[0]["raw"] == "I would say 0.8."
    assert run.summary.exit_status is ExitStatus.STOPPED


async def test_a_few_unusable_replies_are_counted_and_no_failure(world: World, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps({"id": f"i{n}", "input": "q", "output": f"a{n}"}) + "\n" for n in range(5)))
    reply = lambda body: _each_item(body, lambda item_id: {"score": 9 if item_id == "i2" else 1})  # noqa: E731
    world.endpoint.respond = reply
    run = await world.run(items=items)
    assert (run.summary.scored, run.summary.unscored, run.summary.mean) == (4, 1, 1)
    assert run.summary.exit_status is ExitStatus.FINISHED


async def test_caps_hold(world: World) -> None:
    run = await world.run(max_calls=2)
    assert (run.posts, run.summary.scored, run.summary.exit_status) == (2, 2, ExitStatus.STOPPED)
    assert "cap of 2 calls" in run.rows[3]["unscored"]
    with pytest.raises(SetupError, match="price of openai/stub is unknown") as caught:
        await world.run(max_usd=1.0)
    assert f"{user_config_file()} (`models.openai/stub.usd_per_mtok: {{in: …, out: …}}`" in caught.value.hint
    assert "--max-calls" in caught.value.hint and "spec" not in caught.value.hint
    assert world.endpoint.posts == 2


async def test_refused_options_are_named(world: World) -> None:
    run = await world.run(model="openai/gpt-4")
    assert "response_format" not in world.endpoint.last
    assert any("dropped: [response_format]" in message for message in run.said)
    assert "one JSON object" in world.endpoint.last["messages"][0]["content"]


async def test_the_scale_is_read_from_the_rubric_unless_given(world: World) -> None:
    run = await world.run(scale=Scale(1, 5))
    assert "the rubric speaks of scores 0-1, but the scale in force is 1-5" in run.said
    assert run.scores == [None] * 4
    assert "from 1 to 5" in world.endpoint.last["messages"][0]["content"]


async def test_what_is_missing_is_said_before_any_request(world: World, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no model is configured for 'cheap'"):
        await world.run(model="cheap")
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        await World(world.endpoint, world.options).run()
    with pytest.raises(InputError, match="cannot be read"):
        await world.run(items=tmp_path / "absent.jsonl")
    assert world.endpoint.posts == 0


async def test_an_item_written_twice_is_judged_once_and_said(world: World, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text('{"id": "a", "input": "q", "output": "o"}\n' * 2, encoding="utf-8")
    run = await world.run(items=items)
    assert (run.posts, len(run.rows)) == (1, 1)
    assert run.said == ["duplicate id 'a' on lines 1 and 2 (identical, read once)"]


async def test_a_cache_that_cannot_be_used_costs_calls_and_no_run(world: World, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    run = await world.run(cache_dir=blocked)
    assert run.scores == [0.5] * 4
    assert len(run.said) == 1


def _invoke(world: World, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    options = [
        "--rubric",
        str(world.options.rubric),
        "--model",
        "openai/stub",
        "--cache-dir",
        str(world.options.cache_dir),
    ]
    return CliRunner().invoke(command, [str(world.options.items), *options, *arguments])


def test_json_is_all_that_stdout_holds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _invoke(world, monkeypatch, "--json", "--repeats", "2")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["id"] for line in lines[:-1]] == ["i1", "i2", "i3", "i4"] * 2
    assert lines[-1] == {"summary": {"scored": 8, "unscored": 0, "calls": 8, "usd": None}}
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_table_fits_80_columns_and_carries_no_codes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    feedback = "[red]\x1b[31m\u202e" + "提示 " * 60
    world.endpoint.respond = lambda body: _each_item(body, lambda item_id: {"score": 0.5, "feedback": feedback})
    result = _invoke(world, monkeypatch)
    first, *_, last = result.stdout.splitlines()
    assert first.startswith("i1                   0.5      [red]\u241b[31m<U+202E>提示")
    assert len(first) < 80
    assert "\x1b" not in result.output
    assert last == "scored 4 of 4, mean 0.50, 4 calls, cost unknown"


def test_a_run_that_scored_nothing_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.endpoint.mode = "quota"
    result = _invoke(world, monkeypatch, "--json")
    assert result.exit_code == 3
    assert result.stderr.startswith("judged 0 of 4: openai: no quota left")
    assert json.loads(result.stdout.splitlines()[-1])["summary"]["unscored"] == 4


def test_a_bad_scale_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _invoke(world, monkeypatch, "--scale", "5-1")
    assert result.exit_code == 2
    assert "does not rise" in result.stderr


def test_a_damaged_cache_is_said_and_costs_calls(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _invoke(world, monkeypatch, "--json")
    database = Path(str(world.options.cache_dir)) / "cache.db"
    assert database.is_file()
    database.write_bytes(b"not a database at all" * 100)
    result = _invoke(world, monkeypatch, "--json")
    assert json.loads(result.stdout.splitlines()[-1])["summary"]["calls"] == 4
    assert "cache" in result.stderr
