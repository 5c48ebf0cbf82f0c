"""A new run set up in the app: text and failures picked, limits changed, files written, and on to its first keep."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fakes import FakeClock
from pictures import check_picture
from stage import text_of, until
from stub_endpoint import StubEndpoint
from textual.pilot import Pilot
from textual.widgets import TextArea
from triage_project import KEY, LABELS, PROMPT, TriageModel, git, label, question

from ceopt_tui.gitops.repository import Repository
from ceopt_tui.going_on import go_on
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import RepositoryCatalogue
from ceopt_tui.ui.new_run_source import NewRunFiles
from ceopt_tui.ui.screens.new_run import NewRunScreen
from schemas.loading import load_evalset, load_spec

RUBRIC = "quality\n5: right\n4: nearly\n3: half\n2: hardly\n1: wrong"


class Here(NewRunFiles):
    """The files of a repository that is shown under a name which is the same on every machine."""

    @property
    def where(self) -> str:
        return "/home/me/project"


class Shown(RepositoryCatalogue):
    def __init__(self, start: Path, options: RunOptions) -> None:
        super().__init__(start, options)
        self.where = "/home/me/project"


def make_repository(folder: Path, *, changed: bool = False) -> Path:
    root = folder / "repo"
    (root / "prompts").mkdir(parents=True)
    (root / "prompts" / "triage.md").write_text(PROMPT, encoding="utf-8")
    (root / "README.md").write_text("About\n", encoding="utf-8")
    rows = [
        {"id": f"c{at:02d}", "input": question(at), "expected": label(at), "output": f"It is {label(at)}.",
         "reason": "a sentence, not one word"} for at in range(20)
    ]  # fmt: skip
    (root / "failures.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    if changed:
        (root / "prompts" / "triage.md").write_text(PROMPT + "Be kind.\n", encoding="utf-8")
    return root


@asynccontextmanager
async def set_up(
    root: Path, api_base: str = "http://127.0.0.1:9/v1", *, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    """The app on the runs of this repository, its new-run screen open."""
    environ = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": api_base}
    options = RunOptions(Path(), attended=True, cache_dir=root.parent / "cache", environ=environ)
    app = CeoptApp(Shown(root, options), go_on, FakeClock(), refresh_s=0.05)
    app.new_runs = Here(Repository.find(root), options)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: "No run here yet" in text_of(app) or "n sets up" in text_of(app))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunScreen))
        try:
            yield app, pilot
        finally:
            app.cancel_work()
            await app.tick_over()


async def pick(app: CeoptApp, pilot: Pilot[int], step: int, words: str) -> None:
    """Chooses the file with these words on one of the first two lines."""
    await change(pilot, step)
    await until(pilot, lambda: "type words of its name" in text_of(app))
    await pilot.press(*words, "enter")
    await settled(app, pilot)


async def change(pilot: Pilot[int], step: int) -> None:
    await pilot.press(*["up"] * 5, *["down"] * step, "enter")


async def in_time(app: CeoptApp, pilot: Pilot[int], wanted: str) -> None:
    """Waits while a real run is at work: until it asks, or has ended."""
    for _ in range(1_000):
        if app.working is None or wanted in text_of(app):
            break
        await pilot.pause(0.02)
    await until(pilot, lambda: wanted in text_of(app), wanted)


async def settled(app: CeoptApp, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: isinstance(app.screen, NewRunScreen) and not app.screen.busy)


async def test_from_a_prompt_and_a_file_of_failures_to_a_run_that_waits_for_approval(tmp_path: Path) -> None:
    root = make_repository(tmp_path)
    async with set_up(root) as (app, pilot):
        check_picture(app, "new-run-empty")
        await pilot.press("enter")
        await until(pilot, lambda: "prompts/triage.md" in text_of(app))
        assert text_of(app).index("prompts/triage.md") < text_of(app).index("README.md")
        check_picture(app, "new-run-pick")
        await pilot.press("enter")
        await settled(app, pilot)
        assert "Missing    choose the failures" in text_of(app)
        await pick(app, pilot, 1, "fail")
        for shown in (
            "failures.jsonl: 20 cases",
            "Detects    With 10 distinct held-out cases",
            "Writes     triage.spec.yaml",
        ):
            assert shown in text_of(app)
        check_picture(app, "new-run")
        await pilot.press("p")
        await until(pilot, lambda: "20 failures, 0 guards" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "name: triage" in text_of(app))
        await pilot.press("escape")
        assert not (root / "triage.spec.yaml").exists()
        await pilot.press("w")
        await until(pilot, lambda: "Start measuring?" in text_of(app))
    spec = load_spec(root / "triage.spec.yaml").spec
    assert (spec.target.files, spec.stopping.max_iterations) == (("prompts/triage.md",), 4)  # type: ignore[union-attr]
    assert len(load_evalset(root / "evals" / "triage.yaml").evalset.cases) == 20


@pytest.mark.exhaustive
async def test_a_new_user_comes_to_an_accepted_change(tmp_path: Path) -> None:
    root = make_repository(tmp_path)
    with StubEndpoint(respond=TriageModel()) as endpoint:
        async with set_up(root, endpoint.api_base) as (app, pilot):
            await pick(app, pilot, 0, "triage")
            await pick(app, pilot, 1, "fail")
            await change(pilot, 3)
            await until(pilot, lambda: "Which models?" in text_of(app))
            await pilot.press("down", *"gpt-4o", "enter")
            await settled(app, pilot)
            await until(pilot, lambda: "ideas: openai/gpt-4o" in text_of(app))
            await pilot.press("w")
            for wanted in ("Start measuring?", "Start optimizing?", "Keep this change?"):
                await in_time(app, pilot, wanted)
                await pilot.press("down", "enter")
            await in_time(app, pilot, "What now?")
            await pilot.press("down", "enter")
            await until(pilot, lambda: app.working is None)
    text = (root / "prompts" / "triage.md").read_text(encoding="utf-8")
    assert all(name in text for name in LABELS) and text != PROMPT


@pytest.mark.exhaustive
async def test_limits_and_models_are_taken_or_the_line_is_named(tmp_path: Path) -> None:
    async with set_up(make_repository(tmp_path)) as (app, pilot):
        await pick(app, pilot, 0, "triage")
        await pick(app, pilot, 1, "fail")
        await change(pilot, 4)
        await until(pilot, lambda: "When is the run to stop?" in text_of(app))
        await pilot.press("end", *["backspace"] * 3, *"1.5", "ctrl+s")
        await until(pilot, lambda: "“1.5” is no whole number" in text_of(app))
        check_picture(app, "new-run-limits")
        await pilot.press(
            "end", *["backspace"] * 3, *"7", "enter", "enter", "end", "backspace", "enter", *"300", "enter"
        )
        await settled(app, pilot)
        assert "7 experiments, 1 h of work, 300 calls" in text_of(app)
        await change(pilot, 3)
        await until(pilot, lambda: "Which models?" in text_of(app))
        await pilot.press(*"llama", "ctrl+s")
        await until(pilot, lambda: "llama does not say its provider" in text_of(app))
        await pilot.press(*["backspace"] * 5, *"openai/gpt-4.1-mini", "ctrl+s")
        await settled(app, pilot)
        assert "task: openai/gpt-4.1-mini" in text_of(app)
        await pilot.press("s")
        await until(pilot, lambda: "name: triage" in text_of(app))
        await pilot.press("pagedown")
        await until(pilot, lambda: "model: openai/gpt-4.1-mini" in text_of(app))


async def test_a_judge_gets_the_rubric_that_was_written(tmp_path: Path) -> None:
    async with set_up(make_repository(tmp_path)) as (app, pilot):
        await pick(app, pilot, 0, "triage")
        await pick(app, pilot, 1, "fail")
        await change(pilot, 2)
        await until(pilot, lambda: "When is an output right?" in text_of(app))
        await pilot.press(*["down"] * 4, "enter")
        await until(pilot, lambda: "a sentence, not one word" in text_of(app))
        check_picture(app, "new-run-rubric")
        area = app.screen.query_one(TextArea)
        area.text = "5: good"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "No line says what 1, 2, 3, 4 means" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Leave the rubric?" in text_of(app))
        await pilot.press("down", "enter")
        area.text = RUBRIC
        await pilot.press("ctrl+s")
        await settled(app, pilot)
        assert "a model scores the output by a rubric of yours" in text_of(app)
        assert "task and judge: openai/gpt-4o-mini" in text_of(app)


async def test_what_stands_in_the_way_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    root = make_repository(tmp_path, changed=True)
    async with set_up(root) as (app, pilot):
        await pilot.press("w")
        await until(pilot, lambda: "Not yet: choose the text to make better" in text_of(app))
        await pick(app, pilot, 0, "triage")
        await pick(app, pilot, 1, "fail")
        assert "Missing    prompts/triage.md has changes that are not committed" in text_of(app)
        await pilot.press("w")
        await until(pilot, lambda: "Not yet: prompts/triage.md" in text_of(app))
        await change(pilot, 0)
        await until(pilot, lambda: "type words of its name" in text_of(app))
        await pilot.press(*"nothing-like-it", "enter")
        await until(pilot, lambda: "is no file" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "Leave the new run?" in text_of(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: not isinstance(app.screen, NewRunScreen))
    assert not list(root.glob("*.yaml"))
