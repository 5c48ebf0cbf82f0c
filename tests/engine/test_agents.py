"""Coding agents as editors: what they are asked, what they find around them, what of their words is used and booked."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from agent_commands import AgentCommand, installed
from editor_world import EXPERIMENT as RECIPE

from ceopt_tui import programs
from ceopt_tui.agent_clis.dialect import Access
from ceopt_tui.agent_clis.starting import DIALECTS, agent_version, check_agent, started_inside
from ceopt_tui.core.command_ports import Busy, Edited, Recipe
from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.engine.backends.agents.agent_editor import AgentEditor, AgentSetting
from ceopt_tui.engine.backends.agents.failing import AgentFailed, FallbackEditor
from ceopt_tui.engine.backends.agents.pairing import IdeasFrom
from ceopt_tui.errors import AuthError, BudgetError, CeoptError, ProposalError, QuotaError, RateLimitError, SetupError
from schemas.record import CallFacts

NAMES = ("codex", "claude")
IDEAS = {
    "ideas": [
        {
            "description": "Keep the table",
            "category": "caching",
            "expected_benefit": "30 to 60 %",
            "confidence": "medium",
            "cost_and_risk": "small",
            "evidence": "parsed per call",
            "dependencies": ["lru"],
        },
        {"description": "Read once"},
    ]
}


@dataclass
class Account:
    """The books."""

    full: bool = False
    ended: list[tuple[CallFacts, str | None]] = field(default_factory=list)

    async def begin(self) -> str:
        if self.full:
            raise BudgetError("the cap is reached")
        return f"c{len(self.ended) + 1}"

    async def end(self, facts: CallFacts, error: str | None = None) -> None:
        self.ended.append((facts, error))


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders of runs are made; all of them must be gone at the end."""
    place = tmp_path / "room"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(programs, "BEAT_S", 0.02)
    monkeypatch.setattr(programs, "GRACE_S", 0.2)
    return place


@pytest.fixture(params=NAMES)
def command(request: pytest.FixtureRequest, tmp_path: Path) -> AgentCommand:
    return installed(request.param, tmp_path / "bin")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "table.py").write_text("rows = parse(text)\n")
    return folder


def ignored(title: str, done: int, total: int) -> None:
    """Nobody watches."""


def editor(
    command: AgentCommand, account: Account | None = None, progress: Any = ignored, **setting: Any
) -> AgentEditor:
    given = AgentSetting(**{"environ": command.environ, "timeout_s": 30.0, **setting})
    return AgentEditor(DIALECTS[command.name], given, account or Account(), progress)  # type: ignore[index]


async def test_it_edits_in_the_checkout_and_its_own_account_is_booked(
    command: AgentCommand, checkout: Path, room: Path
) -> None:
    command.plays(files={"src/table.py": "rows = kept\n"}, text="Kept the table.\nOnce.")
    account = Account()
    edited = await editor(command, account, model="m-1").edit(RECIPE, checkout)
    assert (checkout / "src" / "table.py").read_text() == "rows = kept\n"
    assert command.seen["files"] == ["src/table.py"]
    assert edited == Edited(f"{command.name} m-1", "Kept the table. ↵ Once.")
    [(facts, error)] = account.ended
    assert (facts.role, facts.model, facts.outside, error) == ("proposer", f"{command.name} m-1", True, None)
    assert (facts.input_tokens, facts.output_tokens) == (900, 40)
    price, turns = {"codex": (None, 1), "claude": (0.25, 3)}[command.name]
    assert (facts.usd, facts.attempts) == (price, turns)
    assert list(room.iterdir()) == []


async def test_the_prompt_says_all_of_the_recipe_and_comes_on_standard_input(
    command: AgentCommand, checkout: Path
) -> None:
    await editor(command).edit(RECIPE, checkout)
    seen = command.seen
    for said in (
        "Make it fast",
        "The change to carry out now: Keep the table",
        "reverted however it scores",
        "Only these may be changed: src",
        "never change: measure.py",
        "keep the order",
        "numpy",
        "ms: 12 at first, now 9.5",
        "ms: smaller is better",
        "Sort first: reverted (slower)",
        "sorting does not pay",
        "out_of_scope: measure.py may not be changed",
    ):
        assert said in seen["asked"], said
    assert not any("Make it fast" in word for word in seen["argv"])


async def test_it_finds_a_home_of_its_own_and_its_providers_variables_alone(
    command: AgentCommand, checkout: Path
) -> None:
    await editor(command).edit(RECIPE, checkout)
    seen, environ = command.seen, command.seen["environ"]
    assert environ["HOME"] != command.environ["HOME"] and environ["TMPDIR"] != str(Path.home())
    assert not [name for name in seen["home"] if name.endswith((".toml", ".md", ".json"))]
    assert "sk-FAKE-MINE12345678" in environ.values()
    assert not {"sk-FAKE-OTHER12345678", "private"} & set(environ.values())
    assert not any("sk-FAKE" in word for word in seen["argv"])


@pytest.mark.parametrize(
    ("name", "access", "wanted", "unwanted"),
    [
        ("codex", "edit", ["--sandbox", "workspace-write"], "--dangerously-bypass-approvals-and-sandbox"),
        ("codex", "all", ["--dangerously-bypass-approvals-and-sandbox"], "--sandbox"),
        ("claude", "edit", ["--permission-mode", "acceptEdits", "--tools", "Read,Glob,Grep,Edit,Write"], "Bash"),
    ],
)
async def test_what_it_may_do_while_it_edits(
    name: str, access: Access, wanted: list[str], unwanted: str, tmp_path: Path, checkout: Path
) -> None:
    command = installed(name, tmp_path / "bin")
    await editor(command, access=access).edit(RECIPE, checkout)
    argv = command.seen["argv"]
    assert any(argv[at : at + len(wanted)] == wanted for at in range(len(argv))) and unwanted not in argv


async def test_ideas_are_read_with_their_opportunity_and_the_agent_may_only_read(
    command: AgentCommand, checkout: Path
) -> None:
    command.plays(text=f"Here:\n```json\n{json.dumps(IDEAS)}\n```")
    first, second = await editor(command, access="all").ideas(RECIPE, checkout, 5)
    assert (first.description, first.category, first.move) == ("Keep the table", "caching", command.name)
    assert (first.expected_benefit, first.confidence, first.required_deps) == ("30 to 60 %", "medium", ("lru",))
    assert first.opportunity["evidence"] == "parsed per call"
    assert (second.category, second.expected_benefit, second.confidence) == ("other", "unknown", "low")
    assert first.rank > second.rank
    argv = " ".join(command.seen["argv"])
    assert ("--sandbox read-only" if command.name == "codex" else "--tools Read,Glob,Grep") in argv
    assert "bypass" not in argv and "Edit" not in argv
    assert len(await editor(command).ideas(RECIPE, checkout, 1)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "I would cache the table.",
        "[1]",
        '{"ideas": 3}',
        '{"ideas": [{"category": "x"}]}',
        "```\n{}\n```\n```\n{}\n```",
        "[" * 100_000,
        '{"ideas": [{"description": "half \\ud83d"}]}',
    ],
)
async def test_ideas_that_cannot_be_read_are_a_failure_in_the_books_too(
    command: AgentCommand, checkout: Path, text: str
) -> None:
    command.plays(text=text)
    account = Account()
    with pytest.raises(AgentFailed):
        await editor(command, account).ideas(RECIPE, checkout, 3)
    [(facts, error)] = account.ended
    assert error and facts.finish_reason == "stop" and facts.output_tokens == 40


TROUBLE: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"fault": "Rate limit reached, try again later"}, Busy, "busy"),
    ({"fault": "API Error (529 Overloaded)"}, Busy, "busy"),
    ({"fault": "unexpected status 429 Too Many Requests"}, Busy, "busy"),
    ({"fault": "Selected model is at capacity"}, Busy, "busy"),
    ({"fault": "You've hit your usage limit. Try again at 3 PM."}, QuotaError, "busy"),
    ({"fault": "Credit balance is too low"}, QuotaError, "busy"),
    ({"fault": "Invalid API key · Please run /login"}, AuthError, "busy"),
    ({"fault": "unexpected status 401 Unauthorized"}, AuthError, "busy"),
    ({"fault": "the model got lost"}, AgentFailed, "stop"),
    ({"garbage": "", "status": 0}, AgentFailed, "stop"),
    ({"garbage": "not json {", "status": 0}, AgentFailed, "stop"),
    ({"garbage": '{"type": "unheard of"}', "status": 0}, AgentFailed, "stop"),
    ({"garbage": "", "stderr": "error: unexpected argument '--json'", "status": 2}, AgentFailed, "stop"),
    ({"garbage": "", "stderr": "ERROR: Too Many Requests", "status": 1}, Busy, "busy"),
]


@pytest.mark.parametrize(("play", "kind", "reason"), TROUBLE)
async def test_every_way_to_fail_has_its_error_and_is_booked(
    command: AgentCommand, checkout: Path, play: dict[str, Any], kind: type[Exception], reason: str
) -> None:
    command.plays(**play)
    account = Account()
    with pytest.raises(kind) as caught:
        await editor(command, account).edit(RECIPE, checkout)
    assert type(caught.value) is kind
    said = play.get("fault") or play.get("stderr") or ""
    assert said in str(caught.value) and command.name in str(caught.value)
    [(facts, error)] = account.ended
    assert error and facts.finish_reason == reason
    if not (play.get("fault") and command.name == "claude"):
        assert facts.usd is None


async def test_a_full_house_parks_where_ideas_are_asked_for(command: AgentCommand, checkout: Path) -> None:
    command.plays(fault="Rate limit reached")
    with pytest.raises(RateLimitError):
        await editor(command).ideas(RECIPE, checkout, 3)


async def test_a_stumble_that_was_got_over_is_no_failure(tmp_path: Path, checkout: Path) -> None:
    command = installed("codex", tmp_path / "bin")
    command.plays(stumbles=True)
    assert (await editor(command).edit(RECIPE, checkout)).note == "Done."


async def test_a_list_of_messages_ends_with_the_result(tmp_path: Path, checkout: Path) -> None:
    command = installed("claude", tmp_path / "bin")
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "Well.", "total_cost_usd": "free"}
    command.plays(garbage=json.dumps([{"type": "system"}, result]))
    account = Account()
    assert (await editor(command, account).edit(RECIPE, checkout)).note == "Well."
    assert account.ended[0][0].usd is None  # what is no amount is not known, never free
    command.plays(garbage=json.dumps({**result, "subtype": "error_max_turns", "result": None}))
    with pytest.raises(AgentFailed, match="error_max_turns"):
        await editor(command).edit(RECIPE, checkout)


async def test_one_that_hangs_is_ended_with_all_its_children(command: AgentCommand, checkout: Path, room: Path) -> None:
    command.plays(hang=True)
    account = Account()
    with pytest.raises(AgentFailed, match="took longer than"):
        await editor(command, account, timeout_s=1.5).edit(RECIPE, checkout)
    pids = [command.seen["pid"], int((command.folder / "child.json").read_text())]
    assert not [pid for pid in pids if is_running(pid)]
    assert account.ended[0][0].finish_reason == "stop" and list(room.iterdir()) == []


async def test_a_wish_to_stop_ends_it_and_is_no_failure_of_the_agent(command: AgentCommand, checkout: Path) -> None:
    command.plays(hang=True)
    account = Account()

    def stop(title: str, done: int, total: int) -> None:
        if (command.folder / "child.json").exists():
            raise CeoptError("stop")

    with pytest.raises(CeoptError, match="stop"):
        await editor(command, account, stop).edit(RECIPE, checkout)
    assert not is_running(command.seen["pid"])
    [(facts, error)] = account.ended
    assert facts.finish_reason == "interrupted" and error


async def test_keys_show_neither_in_words_nor_in_errors(command: AgentCommand, checkout: Path) -> None:
    key = "sk-FAKE-MINE12345678"
    command.plays(text=f"I found {key}.")
    assert key not in (await editor(command).edit(RECIPE, checkout)).note
    command.plays(garbage="", stderr=f"cannot use {key}", status=1)
    account = Account()
    with pytest.raises(AgentFailed) as caught:
        await editor(command, account).edit(RECIPE, checkout)
    assert key not in str(caught.value) and key not in str(account.ended)


async def test_a_cap_that_is_reached_starts_nothing(command: AgentCommand, checkout: Path) -> None:
    with pytest.raises(BudgetError):
        await editor(command, Account(full=True)).edit(RECIPE, checkout)
    assert not (command.folder / "seen.json").exists()


async def test_a_missing_command_says_what_to_install(command: AgentCommand, checkout: Path) -> None:
    (command.folder / command.name).unlink()
    nowhere = {**command.environ, "PATH": str(command.folder)}
    with pytest.raises(SetupError, match="not on the PATH") as caught:
        await editor(command, environ=nowhere).edit(RECIPE, checkout)
    assert "npm install -g" in caught.value.hint


def test_one_that_could_not_sign_in_is_refused_before_it_costs_anything(command: AgentCommand) -> None:
    dialect = DIALECTS[command.name]  # type: ignore[index]
    check_agent(dialect, command.environ)
    keyless = {name: value for name, value in command.environ.items() if not name.endswith("_KEY")}
    with pytest.raises(SetupError, match="neither a key nor a login") as caught:
        check_agent(dialect, keyless)
    assert caught.value.hint == dialect.login


async def test_a_login_of_codex_is_linked_so_that_renewing_it_renews_the_users(tmp_path: Path, checkout: Path) -> None:
    command = installed("codex", tmp_path / "bin")
    login = command.folder / "users-home" / ".codex" / "auth.json"
    login.write_text("{}")
    keyless = {name: value for name, value in command.environ.items() if not name.endswith("_KEY")}
    check_agent(DIALECTS["codex"], keyless)
    await editor(command, environ=keyless).edit(RECIPE, checkout)
    assert command.seen["home"] == [".codex", ".codex/auth.json"] and login.read_text() == "{}"
    await editor(command).edit(RECIPE, checkout)  # a key goes first
    assert command.seen["home"] == [".codex"]


def test_it_is_known_when_ceopt_runs_inside_of_an_agent(command: AgentCommand) -> None:
    dialect = DIALECTS[command.name]  # type: ignore[index]
    assert started_inside(dialect, command.environ) is None
    for variable in dialect.inside:
        assert started_inside(dialect, {**command.environ, variable: "1"}) == variable


def test_its_version_is_told(command: AgentCommand) -> None:
    dialect = DIALECTS[command.name]  # type: ignore[index]
    assert agent_version(dialect, command.environ) == f"{command.name} 9.8.7"
    (command.folder / command.name).write_text("#!/bin/sh\nexit 3\n")
    assert agent_version(dialect, command.environ) is None
    assert agent_version(dialect, {"PATH": str(command.folder / "nowhere")}) is None


@dataclass
class Plain:
    """An editor that fails as often as it is told, and knows who was asked."""

    name: str
    failing: int = 0
    asked: int = 0

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> list[HypothesisDraft]:
        await self.edit(recipe, folder)
        return [HypothesisDraft(self.name, "c", "m")]

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        self.asked += 1
        if self.asked <= self.failing:
            raise AgentFailed("no")
        return Edited(self.name)


async def test_after_three_failures_in_a_row_another_edits_for_the_rest_of_the_run(tmp_path: Path) -> None:
    agent, other, notes, failures = Plain("codex"), Plain("llm"), list[str](), 0
    both = FallbackEditor(agent, other, lambda: failures, notes.append)
    assert both.name == "codex" and (await both.edit(RECIPE, tmp_path)).made_by == "codex"
    failures = 2
    assert (await both.ideas(RECIPE, tmp_path, 1))[0].description == "codex"
    failures = 3
    assert (await both.edit(RECIPE, tmp_path)).made_by == "llm"
    assert (await both.ideas(RECIPE, tmp_path, 1))[0].description == "llm"
    [note] = notes
    assert "`codex` failed 3 times in a row" in note and "`llm` edits" in note
    with pytest.raises(SetupError, match="not asked again") as caught:
        await FallbackEditor(agent, None, lambda: failures, notes.append).edit(RECIPE, tmp_path)
    assert "CEOPT_MODEL_STRONG" in caught.value.hint


async def test_one_may_think_and_another_edit(tmp_path: Path) -> None:
    both = IdeasFrom(Plain("llm"), Plain("codex"))
    assert both.name == "codex"
    assert (await both.ideas(RECIPE, tmp_path, 1))[0].description == "llm"
    assert (await both.edit(RECIPE, tmp_path)).made_by == "codex"


async def test_several_work_at_once_without_seeing_each_other(command: AgentCommand, tmp_path: Path) -> None:
    folders = [tmp_path / f"checkout-{at}" for at in range(3)]
    for folder in folders:
        folder.mkdir()
    command.plays(files={"made.txt": "here"})
    account = Account()
    one = editor(command, account)
    await asyncio.gather(*(one.edit(replace(RECIPE, number=at), folder) for at, folder in enumerate(folders)))
    assert [sorted(path.name for path in folder.iterdir()) for folder in folders] == [["made.txt"]] * 3
    assert len(account.ended) == 3


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_every_failure_of_an_agent_is_a_failure_of_a_proposer() -> None:
    assert issubclass(AgentFailed, ProposalError)
