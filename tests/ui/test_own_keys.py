"""A person's own keys and theme: what config.yaml says holds everywhere; what would take a key away is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

from ceopt_tui.errors import InputError
from ceopt_tui.ui.commands import COMMANDS, PLACES, binding_id, commands_of, named_keys
from ceopt_tui.ui.keymap import keymap_of
from ceopt_tui.ui.personal_app import PersonalApp
from ceopt_tui.ui.settings import Settings, read_settings, remember_theme, remembered_theme

DOCS = Path(__file__).parent.parent.parent / "docs" / "make-the-app-yours.md"


def settings(folder: Path, said: str) -> Settings:
    config = folder / "config.yaml"
    config.write_text(said, encoding="utf-8")
    return read_settings(config, folder / "state" / "theme")


def refused(folder: Path, said: str) -> str:
    with pytest.raises(InputError) as caught:
        settings(folder, said)
    return str(caught.value)


async def test_own_keys_hold_in_footer_help_palette_and_at_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path)
    said = "keys:\n  help: f2, ?\n  quit: Q\n  home.new_run: +\ntheme: textual-light\n"
    monkeypatch.setattr(PersonalApp, "settings", settings(tmp_path, said))
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        assert app.theme == "textual-light"
        footer = text_of(app).splitlines()[-1]
        assert "+ New run" in footer and "Q Quit" in footer and footer.count("Help") == 1
        await pilot.press("q")  # means nothing any more
        await pilot.press("f2")
        await until(pilot, lambda: "Runs of this repository" in text_of(app))
        assert re.search(r"^ *f2 \? +What the keys do", text_of(app), re.MULTILINE)
        check_picture(app, "own-keys")
        await pilot.press("escape", "ctrl+p", *"new run")
        await until(pilot, lambda: "failures, limits (+)" in " ".join(text_of(app).split()))
        await pilot.press("escape")
        await pilot.press("Q")
        await until(pilot, lambda: not app.is_running)


async def test_two_commands_can_swap_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PersonalApp, "settings", settings(tmp_path, "keys: {home.new_run: q, home.quit: n}\n"))
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        assert "q New run" in text_of(app) and "n Quit" in text_of(app)
        await pilot.press("n")
        await until(pilot, lambda: not app.is_running)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "keys:\n  chart: x\n  raport: y\n",
            "config.yaml:3: keys.raport: is no command of the app. Did you mean `report`",
        ),
        ("keys:\n  chart: d\n", "`run.diff` (Diff) and `run.chart` (Chart) on d (A run); give one of them another key"),
        ("keys:\n  chart: j\n", "j has a meaning of its own"),
        ("keys:\n  chart: ''\n", "names no key"),
        ("keys:\n  chart: strg+x\n", "`strg+x` is no key"),
        ("keys:\n  chart: f99\n", "`f99` is no key"),
        ("keys:\n  done_save: d\n", "d is a letter you write there"),
        ("keys:\n  scoring.skip: 3\n", "3 has a meaning of its own"),
        ("theme: solarized\n", "there is no theme solarized. Did you mean solarized-"),
        ("keyz: {}\n", "did you mean"),
    ],
)
def test_what_cannot_hold_is_refused_with_its_line(tmp_path: Path, said: str, words: str) -> None:
    found = refused(tmp_path, said)
    assert words.lower() in re.sub(r"\s+", " ", found).lower()
    assert re.search(r"config\.yaml:\d", found)


def test_the_keys_ceopt_comes_with_clash_nowhere() -> None:
    faults: list[str] = []
    every = {
        binding_id(place, command): ",".join(named_keys(command.keys))
        for place in PLACES
        for command in commands_of(place)
    }
    assert keymap_of(every, lambda name, said: faults.append(f"{name} {said}")) == every
    assert faults == []


def test_the_page_names_every_command() -> None:
    rows = {found[1]: found[2] for found in re.finditer(r"\(`(\w+)`\) \| (.*) \|", DOCS.read_text(encoding="utf-8"))}
    for place in PLACES:
        assert re.findall(r"`(\w+)` ", rows[place]) == [command.id for command in commands_of(place)]
    assert len(rows) == len(PLACES) and COMMANDS


async def test_a_chosen_theme_is_remembered_and_the_config_file_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "models: {}  # mine\n"
    monkeypatch.setattr(PersonalApp, "settings", settings(tmp_path, said))
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        app.theme = "nord"
        await until(pilot, lambda: (tmp_path / "state" / "theme").is_file())
    assert settings(tmp_path, said).theme == "nord"
    assert settings(tmp_path, "theme: dracula\n").theme == "dracula"  # what the file says comes first


async def test_a_theme_in_the_config_file_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PersonalApp, "settings", settings(tmp_path, "theme: dracula\n"))
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        app.theme = "nord"
        await until(pilot, lambda: "config.yaml names dracula" in " ".join(text_of(app).split()))
    assert not (tmp_path / "state").exists()


def test_a_memory_that_is_damaged_or_out_of_reach_is_no_theme(tmp_path: Path) -> None:
    memory = tmp_path / "theme"
    assert remembered_theme(memory) == ""
    memory.write_bytes(b"\xff\xfe no theme")
    assert remembered_theme(memory) == ""
    (tmp_path / "file").write_text("", encoding="utf-8")
    remember_theme(tmp_path / "file" / "theme", "nord")
    assert remembered_theme(tmp_path / "file" / "theme") == ""
