"""Whole runs in which a coding agent edits: the example of a hard metric, with a stand-in for the command line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_commands import AgentCommand, installed
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from test_command_examples import EXAMPLES, SORTS, Workshop, carried_out, closed, copied, idea

from ceopt_tui.exits import ExitStatus

BETTER = "Stop where the rest is in order"
EDIT = SORTS[BETTER][0]
SORTED = (EXAMPLES / "fewer-comparisons" / "sort.py").read_text().replace(EDIT["search"], EDIT["replace"])
ONE_IDEA = {"text": json.dumps({"ideas": [idea(BETTER)]})}


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        running.respond = Workshop(SORTS)
        yield running


def with_agent(name: str, folder: Path, endpoint: StubEndpoint, more: str) -> tuple[Place, AgentCommand]:
    """The example with an agent on the PATH, and `more` in its spec."""
    command = installed(name, folder / "bin")
    place = copied("fewer-comparisons", folder, endpoint)
    place.environ |= {"PATH": command.environ["PATH"], "ANTHROPIC_API_KEY": "sk-FAKE-MINE12345678"}
    spec = place.root / "spec.yaml"
    text = re.sub(r"execution: .*\n", "", spec.read_text()) + more
    spec.write_text(text)
    return place, command


def words(ended: Ended) -> str:
    return ended.out + ended.err


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("codex", "execution: {mode: serial, backend: codex, codex_security: full-auto}\n"),
        ("claude", "execution: {mode: serial}\nproposer: {kind: claude}\n"),
    ],
)
def test_an_agent_has_the_idea_edits_and_wins(name: str, more: str, tmp_path: Path, endpoint: StubEndpoint) -> None:
    place, command = with_agent(name, tmp_path, endpoint, more)
    command.plays(ideas=ONE_IDEA, files={"sort.py": SORTED}, text="Fewer rounds.")
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), words(ended)
    assert closed(ended)[1]["outcome"] == "kept"
    assert [file for file in command.seen["files"] if file != ".git"] == ["README.md", "sort.py"]
    report = warm().run(place, "report", "spec.yaml")
    assert report.status == 0 and "sk-FAKE" not in words(report)


@pytest.mark.exhaustive
def test_what_codex_may_do_is_not_guessed(tmp_path: Path, endpoint: StubEndpoint) -> None:
    place, command = with_agent("codex", tmp_path, endpoint, "execution: {mode: serial, backend: codex}\n")
    ended = carried_out(place)
    assert ended.status == ExitStatus.NEEDS_PERSON, words(ended)
    assert "codex_security: full-auto" in words(ended) and not (command.folder / "starts.txt").exists()


@pytest.mark.exhaustive
def test_an_agent_that_fails_three_times_is_done_with_and_a_model_edits(tmp_path: Path, endpoint: StubEndpoint) -> None:
    more = "execution: {mode: serial, backend: claude}\nproposer: {kind: llm}\n"
    place, command = with_agent("claude", tmp_path, endpoint, more)
    command.plays(fault="the model got lost")
    ended = carried_out(place)
    assert ended.status == ExitStatus.FINISHED, words(ended)
    assert command.starts == 3
    assert "`claude` failed 3 times in a row" in words(ended)
    assert any(event["outcome"] == "kept" for event in closed(ended).values()), words(ended)


@pytest.mark.exhaustive
def test_inside_of_the_agent_itself_the_model_edits(tmp_path: Path, endpoint: StubEndpoint) -> None:
    place, command = with_agent("claude", tmp_path, endpoint, "execution: {mode: serial, backend: claude}\n")
    place.environ["CLAUDECODE"] = "1"
    ended = carried_out(place)
    assert ended.last["outcome"] == "improved", words(ended)
    assert not (command.folder / "starts.txt").exists() and "CLAUDECODE is set" in words(ended)


def test_an_agent_that_is_not_there_is_named_with_what_to_install(tmp_path: Path, endpoint: StubEndpoint) -> None:
    more = "execution: {mode: serial, backend: claude}\n"
    place, command = with_agent("claude", tmp_path, endpoint, more)
    (command.folder / "claude").unlink()
    place.environ["PATH"] = os.pathsep.join(["/usr/bin", "/bin"])
    ended = carried_out(place)
    assert ended.status == ExitStatus.REFUSED, words(ended)
    assert "npm install -g @anthropic-ai/claude-code" in words(ended)
