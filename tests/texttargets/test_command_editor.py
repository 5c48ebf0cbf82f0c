"""The editor of code that is a command: what it is told, how it says that it failed or has no room, what is booked."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from editor_world import EXPERIMENT as RECIPE
from editor_world import Books, ignored

from ceopt_tui import programs
from ceopt_tui.core.command_ports import Busy, Edited
from ceopt_tui.core.ports import Tried
from ceopt_tui.errors import CeoptError, ProposalError
from texttargets.proposers.command import CommandSetting
from texttargets.proposers.command_editor import LAST_WORDS, NOTE_LENGTH, CommandEditor

SECRET = "sk-FAKE-ABCDEFGH12345678"


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders of runs are made; all of them must be gone at the end."""
    place = tmp_path / "room"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(programs, "BEAT_S", 0.01)
    monkeypatch.setattr(programs, "GRACE_S", 0.2)
    return place


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    return folder


def editor(script: str, books: Books | None = None, progress: Any = ignored, **environment: str) -> CommandEditor:
    setting = CommandSetting(script, {"PATH": os.environ["PATH"], **environment}, 20.0)
    return CommandEditor(setting, books or Books(), progress, {SECRET})


async def test_it_works_in_the_checkout_with_the_recipe_in_a_file_beside_it(checkout: Path, room: Path) -> None:
    script = 'cp "$CEOPT_RECIPE" seen.json; pwd > where; echo x > "$TMPDIR/own"; env > environ'
    books = Books()
    assert await editor(script, books, MINE="1").edit(RECIPE, checkout) == Edited("external command", "")
    told = json.loads((checkout / "seen.json").read_text())
    assert told["hypothesis"] == "Keep the table" and told["best"] == {"ms": 9.5}
    assert told["tried"][0]["description"] == "Sort first" and told["refused"][0]["code"] == "out_of_scope"
    assert Path((checkout / "where").read_text().strip()) == checkout.resolve()
    names = {line.partition("=")[0] for line in (checkout / "environ").read_text().splitlines()}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "MINE", "TMPDIR", "CEOPT_RECIPE"}
    assert (books.begun, len(books.ended)) == (1, 1) and list(room.iterdir()) == []


async def test_words_that_are_no_proper_text_arrive_all_the_same(checkout: Path) -> None:
    odd = replace(RECIPE, tried=(Tried("half \ud83d emoji", "c", "m", "reverted", "\u2028"),))
    await editor('cp "$CEOPT_RECIPE" seen.json').edit(odd, checkout)
    assert json.loads((checkout / "seen.json").read_text())["tried"][0]["description"] == "half \ud83d emoji"


async def test_what_it_says_of_itself_is_booked_as_its_own_word(checkout: Path) -> None:
    books = Books()
    claim = json.dumps({"usd": 0.5, "calls": 7, "note": f"used {SECRET}\nand " + "long " * 200})
    edited = await editor(f"echo working; printf '%s\\n' '{claim}'", books).edit(RECIPE, checkout)
    [(facts, error)] = books.ended
    assert (facts.usd, facts.attempts, facts.outside, facts.role, error) == (0.5, 7, True, "proposer", None)
    assert SECRET not in edited.note and "\n" not in edited.note and len(edited.note) <= NOTE_LENGTH + 1
    await editor('echo \'{"usd": true, "calls": -1}\'', books).edit(RECIPE, checkout)
    assert (books.ended[1][0].usd, books.ended[1][0].attempts) == (None, 1)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (f"echo cannot use {SECRET} >&2; exit 3", "ended with status 3; its last words: cannot use"),
        ("echo on stdout; exit 1", "its last words: on stdout"),
        ("exit 2", "it said nothing"),
        ("kill -KILL $$", "was ended by signal 9"),
        ("nowhere-to-be-found", "ended with status 127"),
    ],
)
async def test_a_failure_has_its_last_words_and_no_secret(checkout: Path, script: str, said: str) -> None:
    books = Books()
    with pytest.raises(ProposalError) as caught:
        await editor(script, books).edit(RECIPE, checkout)
    assert said in caught.value.message and SECRET not in caught.value.message
    assert books.ended[0][1] == caught.value.message and len(caught.value.message) < LAST_WORDS + 100


async def test_no_room_is_no_failure_of_its_own(checkout: Path) -> None:
    books = Books()
    with pytest.raises(Busy):
        await editor("exit 75", books).edit(RECIPE, checkout)
    assert len(books.ended) == 1


async def test_a_shell_that_cannot_be_started_is_a_failed_proposal(checkout: Path) -> None:
    books = Books()
    with pytest.raises(ProposalError, match="cannot be started"):
        await editor("true", books).edit(RECIPE, checkout / "gone")
    assert "ended before it was done" in str(books.ended[0][1])


async def test_a_wish_to_stop_ends_it_and_is_told_by_its_name(checkout: Path) -> None:
    books = Books()

    def stop(title: str, done: int, total: int) -> None:
        raise CeoptError("stop")

    with pytest.raises(CeoptError, match="stop"):
        await editor("sleep 600", books, stop).edit(RECIPE, checkout)
    assert books.ended[0][1] == "ended before it was done: stop"


async def test_one_start_is_one_idea_and_each_has_a_number_of_its_own(checkout: Path) -> None:
    one = editor(f"optimize --key {SECRET}")
    first, second = await one.ideas(RECIPE, checkout, 2)
    (third,) = await one.ideas(replace(RECIPE, ideas_before=2), checkout, 1)
    assert [idea.parameters["start"] for idea in (first, second, third)] == [1, 2, 3]
    assert first.rank > second.rank > third.rank and first.parameters["key"] == third.parameters["key"]
    assert SECRET not in first.description and second.description.endswith("(start 2)")
    assert await one.ideas(RECIPE, checkout, 0) == []
