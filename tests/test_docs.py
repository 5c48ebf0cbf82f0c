"""What the documents say exists: links, commands and their options, make targets, keys of the spec, exit statuses."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from ceopt_tui.cli import COMMANDS
from ceopt_tui.exits import ExitStatus
from schemas.spec import Spec

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND_LINE = re.compile(r"(?<![\w./-])ceopt ([a-z]+)((?: [^`|&\n]*)?)")
TARGET = re.compile(r"(?:^    |`)make ([a-z][a-z-]*)", re.MULTILINE)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text("utf-8")):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def code(page: Path) -> Iterator[str]:
    """Indented blocks and code spans of a page."""
    text = page.read_text("utf-8")
    yield from re.findall(r"^    .*$", text, re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", text)


@every_page
def test_commands_and_their_options_exist(page: Path) -> None:
    for piece in code(page):
        for name, rest in COMMAND_LINE.findall(piece):
            assert name in COMMANDS, piece
            options = set(re.findall(r"(?<!\S)(--[a-z-]+)", rest.partition(" # ")[0]))
            assert options <= _options(name), piece


def _options(name: str) -> set[str]:
    command: click.Command = importlib.import_module(f"ceopt_tui.commands.{COMMANDS[name][0]}").command
    commands = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    return {option for one in commands for parameter in one.params for option in parameter.opts} | {"--help"}


@every_page
def test_make_targets_exist(page: Path) -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(TARGET.findall(page.read_text("utf-8"))) <= known


def test_every_key_in_the_table_is_a_key_of_the_spec() -> None:
    rows = re.findall(r"^\| (`[a-z_]+[`.].*?) \|", (ROOT / "docs" / "write-a-spec.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 25
    for row in rows:
        section = ""
        for key in re.findall(r"`([a-z_.]+)(?:\.NAME)?`", row):
            path = key if "." in key or not section else f"{section}.{key}"
            section = path.rpartition(".")[0]
            assert _is_key(Spec, path.split(".")), path


def _is_key(model: type[BaseModel], path: list[str]) -> bool:
    field = model.model_fields.get(path[0])
    if field is None or len(path) == 1:
        return field is not None
    inner = [kind for kind in (field.annotation, *getattr(field.annotation, "__args__", ())) if isinstance(kind, type)]
    return any(issubclass(kind, BaseModel) and _is_key(kind, path[1:]) for kind in inner)


def test_the_table_of_exit_statuses_is_that_of_the_code() -> None:
    text = (ROOT / "docs" / "unattended-and-cron.md").read_text("utf-8")
    told = {int(number) for row in re.findall(r"^\| ([0-9, ]+) \|", text, re.MULTILINE) for number in row.split(",")}
    assert told == {int(status) for status in ExitStatus} - {int(ExitStatus.REGRESSED)}
