"""A change may be rewritten before it is kept: the new text is an experiment of its own, with guards and ladder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from stage import Stage, on_stage, text_of, until
from textual.app import SuspendNotSupported

from ceopt_tui.errors import SetupError
from ceopt_tui.looking import read_state
from ceopt_tui.ui.editor import edit_text

PROGRAM = "import pathlib, sys; p = pathlib.Path(sys.argv[-1]); p.write_bytes({})"


class Terminal:
    """Can be left, or not."""

    def __init__(self, *, can: bool = True) -> None:
        self.can, self.left = can, 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        if not self.can:
            raise SuspendNotSupported
        self.left += 1
        yield


def editor(monkeypatch: pytest.MonkeyPatch, folder: Path, writes: str) -> None:
    script = folder / "editor.py"
    script.write_text(PROGRAM.format(writes), encoding="utf-8")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}'")


async def to_the_keep_question(stage: Stage, app: object, pilot: object) -> None:
    for question in ("Start measuring?", "Start optimizing?"):
        await until(pilot, lambda question=question: question in text_of(app))  # type: ignore[arg-type]
        await pilot.press("down", "enter")  # type: ignore[attr-defined]
    await until(pilot, lambda: "Keep this change?" in text_of(app))  # type: ignore[arg-type]


async def test_what_a_person_rewrote_is_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def rewrite(app: object, text: str, name: str) -> str:
        assert name == "prompt.md"
        return text.replace("be exact", "be exact, please")

    monkeypatch.setattr("ceopt_tui.ui.screens.keep.edit_text", rewrite)
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await to_the_keep_question(stage, app, pilot)
        await until(pilot, lambda: "e Edit" in text_of(app))
        await pilot.press("e")
        await until(pilot, lambda: "exp-003 won" in text_of(app) and "edited by a person" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "What now?" in text_of(app))
    state = read_state(stage.world.folder)
    assert [keep.number for keep in state.keeps] == [3]
    assert state.best_texts == {"prompt.md": "Answer.\nbe exact, please\n"}
    assert state.experiments[2].closed is not None
    assert state.experiments[2].closed.reason == "refused by a person: edited instead"


@pytest.mark.exhaustive
async def test_an_edit_that_changes_nothing_or_fails_leaves_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(app: object, text: str, name: str) -> str:
        return text

    async def fail(app: object, text: str, name: str) -> str:
        raise SetupError("no [editor] is set")

    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await to_the_keep_question(stage, app, pilot)
        for how, told in ((leave, "Nothing was changed."), (fail, "no [editor] is set")):
            monkeypatch.setattr("ceopt_tui.ui.screens.keep.edit_text", how)
            await pilot.press("e")
            await until(pilot, lambda told=told: told in text_of(app) and "Keep this change?" in text_of(app))
    assert len(read_state(stage.world.folder).hypotheses) == 2


async def test_the_editor_gives_back_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(monkeypatch, tmp_path, "p.read_bytes() + b'more \\xe2\\x80\\xa2\\r\\n'")
    terminal = Terminal()
    assert await edit_text(terminal, "a\r\nb", "prompts/triage.md") == "a\r\nbmore •\r\n"
    assert terminal.left == 1


@pytest.mark.parametrize(
    ("writes", "told"), [("sys.exit(3)", "ended with status 3"), ("b'\\xff'", "cannot be read as UTF-8")]
)
async def test_what_an_editor_leaves_in_doubt_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: str, told: str
) -> None:
    editor(monkeypatch, tmp_path, writes)
    with pytest.raises(SetupError, match=told):
        await edit_text(Terminal(), "a", "a.md")


async def test_without_an_editor_or_a_terminal_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path, "b''")
    with pytest.raises(SetupError, match="cannot be left"):
        await edit_text(Terminal(can=False), "a", "a.md")
    monkeypatch.setenv("EDITOR", str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match="cannot be started"):
        await edit_text(Terminal(), "a", "a.md")
    monkeypatch.delenv("EDITOR")
    with pytest.raises(SetupError, match="no editor is set"):
        await edit_text(Terminal(), "a", "a.md")
