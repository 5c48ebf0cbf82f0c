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

import aiohttp.web
import pytest
from ceopt_process import Place
from judged_project import NotesModel, make_judged
from served import LIMIT_S, Served, alive, connected, serving, words_in
from stub_endpoint import StubEndpoint
from triage_project import KEY

from ceopt_tui.webserver.address import listening

pytestmark = pytest.mark.browser

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "in-the-browser.png"
DRAWN_MS = 1000
KEPT = "ceopt-key"  # the name under which the page keeps its key
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

    async def picture(self, file: Path) -> None:
        """Takes a picture once what was drawn can be seen, all of it."""
        await self.tab.wait_for_timeout(DRAWN_MS)
        await self.tab.screenshot(path=file)

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


async def test_a_person_works_closes_the_tab_and_goes_on(notes: Place) -> None:
    with serving(notes, "spec.yaml") as served:
        async with chromium() as context:
            page = await to_the_third_output(context, served)
            assert page.tab.url == f"{served.origin}/"
            assert await page.tab.evaluate("document.cookie") == ""
            if os.environ.get("CEOPT_UPDATE_PICTURES"):
                await page.picture(PICTURE)
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
            first, *later = page.asked_for + again.asked_for
            assert first == served.link
            secrets = (served.link.partition("token=")[2], await again.tab.evaluate(f"localStorage['{KEPT}']"), KEY)
            shown = await again.tab.content() + (page.drawn + again.drawn).decode("utf-8", "replace")
            told = (notes.home / "server-err").read_text()
            for text in (shown, told, *later):
                assert not any(secret in text for secret in secrets)
            assert all(url.startswith(served.origin) for url in later)


async def test_without_the_token_a_browser_sees_nothing(notes: Place) -> None:
    with serving(notes, "spec.yaml") as served:
        async with chromium() as context:
            tab = await context.new_page()
            answer = await tab.goto(served.origin)
            assert answer is not None and answer.status == 401
            assert not served.apps()


async def test_another_server_of_this_host_sees_the_cookie_and_gets_no_app(notes: Place) -> None:
    seen: list[aiohttp.web.BaseRequest] = []

    async def curious(request: aiohttp.web.BaseRequest) -> aiohttp.web.Response:
        seen.append(request)
        return aiohttp.web.Response(text="<!doctype html><title>another</title>", content_type="text/html")

    another = aiohttp.web.ServerRunner(aiohttp.web.Server(curious))
    await another.setup()
    with serving(notes, "spec.yaml") as served, listening("127.0.0.1", 0) as listener:
        await aiohttp.web.SockSite(another, listener).start()
        async with chromium() as context:
            tab = await context.new_page()
            await tab.route("**/ws?*", lambda route: route.abort())
            await tab.goto(served.link)
            await tab.wait_for_url(f"{served.origin}/")
            await tab.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/")
            learned = seen[0].cookies
            assert list(learned) == [f"ceopt-{served.port}"]
            assert await tab.evaluate(f"localStorage.getItem('{KEPT}')") is None
            async with aiohttp.ClientSession(cookies=learned) as thief:
                async with thief.get(f"{served.origin}/") as page:
                    assert page.status == 200
                with pytest.raises(aiohttp.WSServerHandshakeError, match="401"):
                    await connected(thief, served.origin, learned[f"ceopt-{served.port}"], width=80, height=24)
        await another.cleanup()


async def test_a_page_that_has_lost_its_key_says_what_to_open(notes: Place) -> None:
    with serving(notes, "spec.yaml") as served:
        async with chromium() as context:
            page = await opened(context, served.link)
            await page.tab.wait_for_url(f"{served.origin}/")
            await page.tab.evaluate("localStorage.clear()")
            await page.tab.reload()
            assert await page.tab.locator("#locked").is_visible()
            assert not await page.tab.locator("#ended").is_visible()
