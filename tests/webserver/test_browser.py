"""The app in a real browser, headless: approve, score by keyboard, close the tab, go on, read and save the report."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Place
from judged_project import NotesModel, make_judged
from served import LIMIT_S, Served, alive, serving, words_in
from stub_endpoint import StubEndpoint

pytestmark = pytest.mark.browser

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "in-the-browser.png"
INSTALLED = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Place]:
    """A judged project, and the models it needs."""
    with StubEndpoint(respond=NotesModel()) as endpoint:
        yield make_judged(tmp_path, endpoint.api_base, judge="max_total_cost_usd: 3")


class Page:
    """A tab of Chromium, and what its app has drawn so far."""

    def __init__(self, tab: Any) -> None:
        self.tab, self.drawn, self._more = tab, b"", asyncio.Event()
        self.asked_for: list[str] = []
        self.complaints: list[str] = []
        tab.on("websocket", lambda socket: socket.on("framereceived", self._take))
        tab.on("request", lambda request: self.asked_for.append(request.url))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    def _take(self, frame: bytes | str) -> None:
        self.drawn += frame if isinstance(frame, bytes) else b""
        self._more.set()

    async def see(self, words: str) -> None:
        """Waits until the words have been drawn since the last key."""
        async with asyncio.timeout(LIMIT_S):
            while words not in words_in(self.drawn):
                self._more.clear()
                await self._more.wait()

    async def press(self, *keys: str) -> None:
        self.drawn = b""
        for key in keys:
            await self.tab.keyboard.press(key)

    async def take(self, option: int) -> None:
        """Chooses an option of the question on the screen, once it takes answers."""
        await self.see("Later")
        await self.press(*["ArrowDown"] * option, "Enter")


@asynccontextmanager
async def chromium() -> AsyncIterator[Any]:
    """A browser with nothing in it, or a skipped test that says what is missing."""
    playwright = pytest.importorskip("playwright.async_api", reason="`make browser` installs what drives a browser")
    async with playwright.async_playwright() as driver:
        if INSTALLED is None and not Path(driver.chromium.executable_path).exists():
            pytest.skip("there is no Chromium; `make browser` gets one")
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        started = await driver.chromium.launch(executable_path=INSTALLED, args=root)
        try:
            yield await started.new_context(viewport={"width": 960, "height": 600}, accept_downloads=True)
        finally:
            await started.close()


async def opened(context: Any, address: str) -> Page:
    page = Page(await context.new_page())
    await page.tab.goto(address)
    return page


async def until_gone(apps: list[int]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while any(map(alive, apps)):
            await asyncio.sleep(0.05)


def records(place: Place) -> list[dict[str, Any]]:
    text = (place.root / ".context/ceopt/notes/journal.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def to_the_third_output(context: Any, served: Served) -> Page:
    """Approves, and scores two outputs."""
    page = await opened(context, served.link)
    await page.see("Start measuring?")
    await page.take(1)
    await page.see("Score some outputs now?")
    await page.take(2)
    await page.see("1 of 10")
    await page.press("3")
    await page.see("2 of 10")
    await page.press("4")
    await page.see("3 of 10")
    return page


async def test_a_person_works_closes_the_tab_and_goes_on(notes: Place, tmp_path: Path) -> None:
    with serving(notes, "spec.yaml") as served:
        async with chromium() as context:
            page = await to_the_third_output(context, served)
            assert page.tab.url == f"{served.origin}/"
            assert await page.tab.evaluate("document.cookie") == ""
            await page.tab.screenshot(path=PICTURE if os.environ.get("CEOPT_UPDATE_PICTURES") else tmp_path / "p.png")
            apps = served.apps()
            await page.tab.close()
            await until_gone(apps)
            assert records(notes)[-1]["kind"] == "tick_ended"

            again = await opened(context, f"{served.origin}/")
            await again.see("3 of 10")
            await again.press("3")
            await again.see("4 of 10")
            await again.press("x")
            await again.see("What now?")
            await again.take(1)
            await again.see("Start optimizing?")
            await again.see("Later")
            await again.press("Escape")
            await again.see("No experiment yet")
            await again.press("e")
            await again.see("End the run for good?")
            await again.press("ArrowDown", "Enter")
            await again.see("finished")
            await again.press("r")
            await again.see("Report of notes")
            async with again.tab.expect_download() as waiting, asyncio.timeout(LIMIT_S):
                await again.press("s")
            saved = await waiting.value
            assert saved.suggested_filename == "notes-report.html"
            ours = notes.root / ".context/ceopt/notes/report.html"
            assert Path(await saved.path()).read_bytes() == ours.read_bytes()

            assert not page.complaints + again.complaints
            assert all(url.startswith(served.origin) for url in page.asked_for + again.asked_for)


async def test_without_the_token_a_browser_sees_nothing(notes: Place) -> None:
    with serving(notes, "spec.yaml") as served:
        async with chromium() as context:
            tab = await context.new_page()
            answer = await tab.goto(served.origin)
            assert answer is not None and answer.status == 401
            assert not served.apps()
