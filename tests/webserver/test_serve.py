"""`ceopt serve` from outside: what it shows to whom, what becomes of runs when tabs, browsers and servers go."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from ceopt_process import Place, cold
from served import CEOPT, LIMIT_S, Served, alive, browser, open_tab, serving, words_in
from stub_endpoint import StubEndpoint
from triage_project import make_project

from ceopt_tui.shell import WEB_DRIVER

PATHS = ("/", "/ws", "/static/js/textual.js", "/static/css/xterm.css", "/page/page.js", "/download/key", "/nowhere")
SECRET = "sk-FAKE-ZYXWVUTS87654321"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with StubEndpoint() as endpoint:
        yield make_project(tmp_path_factory.mktemp("served"), endpoint.api_base)


@pytest.fixture(scope="module")
def served(place: Place) -> Iterator[Served]:
    """One server for all tests that leave it as it is."""
    with serving(place, "spec.yaml") as up:
        yield up


def records(place: Place) -> list[dict[str, Any]]:
    text = (place.root / ".context/ceopt/triage/journal.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def until_gone(*apps: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while any(map(alive, apps)):
            await asyncio.sleep(0.02)


async def words_of_the_app(served: Served) -> list[str]:
    """The command line of the one app, once it is no copy of the server any more."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            for app in served.apps():
                words = Path(f"/proc/{app}/cmdline").read_text().split("\0")
                if "--" in words:
                    return words
            await asyncio.sleep(0.01)


async def test_without_the_token_nothing_is_shown(served: Served) -> None:
    async with browser() as nobody:
        for path in PATHS:
            async with nobody.get(f"{served.origin}{path}", headers={"Origin": served.origin}) as answer:
                assert answer.status == 401, path
                assert "ceopt serve" in await answer.text()
        assert not served.apps()


async def test_the_token_leaves_the_address_for_a_cookie_and_a_key_of_the_page(served: Served) -> None:
    token = served.link.partition("token=")[2]
    async with browser(served) as session, session.get(served.link) as entrance:
        assert entrance.status == 200
        (cookie,) = entrance.headers.getall("Set-Cookie")
        assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
        entered = await entrance.text()
        assert served.page_key in entered and served.page_key not in cookie
        async with session.get(f"{served.origin}/") as page:
            text = await page.text()
            assert page.status == 200
        assert f'data-session-websocket-url="ws://127.0.0.1:{served.port}/ws"' in text
        assert served.page_key not in text
        assert all(token not in shown for shown in (cookie, entered, text))


async def test_who_has_only_the_cookie_gets_no_app(served: Served) -> None:
    """As a server on another port does: browsers send it there too."""
    async with browser(served) as session:
        for protocols in ((), ("ceopt",), ("ceopt", "a-key-of-another"), (served.page_key,)):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{served.origin}/ws", headers={"Origin": served.origin}, protocols=protocols)
            assert refused.value.status == 401
    assert not served.apps()


async def test_everything_the_page_loads_is_here_and_only_here(served: Served) -> None:
    async with browser(served) as session:
        async with session.get(f"{served.origin}/") as page:
            policy, text = page.headers["Content-Security-Policy"], await page.text()
        assert "default-src 'none'" in policy and "script-src 'self';" in policy
        assert "http://" not in text and "https://" not in text
        for path in ("/static/js/textual.js", "/static/css/xterm.css", "/page/page.css", "/page/page.js",
                     "/page/entrance.js", "/static/fonts/RobotoMono-VariableFont_wght.ttf"):  # fmt: skip
            async with session.get(f"{served.origin}{path}") as asset:
                assert asset.status == 200, path
                assert asset.headers["Cache-Control"] == "no-store"
                assert asset.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/static/", "/static/../server.py", "/static/%2e%2e/server.py", "/page/..%2fserver.py"]
)
async def test_no_other_file_is_shown(served: Served, path: str) -> None:
    async with browser(served) as session:
        from_yarl = aiohttp.client.URL(f"{served.origin}{path}", encoded=True)
        async with session.get(from_yarl) as answer:
            assert answer.status in (403, 404)


async def test_another_name_or_another_page_is_refused_even_with_the_cookie(served: Served) -> None:
    async with browser(served) as session:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            async with session.get(f"{served.origin}/", headers=headers) as answer:
                assert answer.status == 403
        for more in ({"Origin": "http://evil.example"}, {}):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{served.origin}/ws", headers=more)
            assert refused.value.status == 403
    assert not served.apps()


async def test_a_closed_tab_ends_its_app_in_order_and_the_next_goes_on(place: Place, served: Served) -> None:
    async with browser(served) as session:
        tab = await open_tab(session, served)
        await tab.see("Start measuring?")
        (app,) = served.apps()
        environment = Path(f"/proc/{app}/environ").read_text()
        assert served.link.partition("token=")[2] not in environment
        await tab.close()
        again = await open_tab(session, served)  # at once, as a page that is loaded again
        await again.see("putting its end on record")
        await until_gone(app)
        ends = [record for record in records(place) if record["kind"] == "tick_ended"]
        assert ends and all(end["reason"] == "interrupted" for end in ends)


def test_a_signal_ends_the_app_of_a_tab_in_order_and_with_its_status(tmp_path: Path) -> None:
    with StubEndpoint() as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        environ = {**place.environment(), "TEXTUAL_DRIVER": WEB_DRIVER, "COLUMNS": "80", "ROWS": "24"}
        app = subprocess.Popen(
            [CEOPT, "run", "spec.yaml"], cwd=place.root, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert app.stdout is not None and app.stdin is not None
        drawn = b""
        while "Start measuring?" not in words_in(drawn):
            more = os.read(app.stdout.fileno(), 65_536)
            assert more, words_in(drawn)
            drawn += more
        app.send_signal(signal.SIGTERM)
        app.stdout.read()
        assert app.wait(LIMIT_S) == 143
        app.stdin.close()
        app.stdout.close()
    ends = [record for record in records(place) if record["kind"] == "tick_ended"]
    assert [end["reason"] for end in ends] == ["interrupted"]


async def test_options_of_the_run_reach_the_app_of_a_tab(place: Place) -> None:
    given = ("--prune", "--max-minutes", "90.5", "--cache-dir", "my cache", "--model", "cheap=openai/other")
    with serving(place, "spec.yaml", *given) as served:
        async with browser(served) as session:
            async with session.get(f"{served.origin}/") as page:
                assert "<title>triage-prune</title>" in await page.text()
            tab = await open_tab(session, served)
            words = await words_of_the_app(served)
            await tab.close()
            await until_gone(*served.apps())
    assert words[words.index("prune") : -1] == ["prune", *given[1:], "--", "spec.yaml"]


@pytest.mark.exhaustive
async def test_a_second_tab_is_told_that_the_run_is_in_use(place: Place, served: Served) -> None:
    async with browser(served) as session:
        tab = await open_tab(session, served)
        await tab.see("Start measuring?")
        second = await open_tab(session, served)
        await second.see("run is in use")  # in the app or instead of it: the lock may be taken a moment later
        await second.close()
        await tab.press("\x11")  # ctrl+q
        await tab.end()
        assert "to go on: ceopt run" in tab.text
        await until_gone(*served.apps())


@pytest.mark.exhaustive
async def test_a_killed_server_leaves_no_app_behind(place: Place) -> None:
    with serving(place, "spec.yaml") as served:
        async with browser(served) as session:
            tab = await open_tab(session, served)
            await tab.see("Start measuring?")
            apps = served.apps()
            served.process.kill()
            await until_gone(*apps)
    assert records(place)[-1]["kind"] == "tick_ended"


@pytest.mark.exhaustive
async def test_ctrl_c_ends_the_server_and_its_apps(place: Place) -> None:
    with serving(place) as served:
        async with browser(served) as session:
            tab = await open_tab(session, served)
            await tab.see("triage")
            apps = served.apps()
            os.kill(served.process.pid, signal.SIGINT)
            await tab.end()
            assert await asyncio.to_thread(served.process.wait, LIMIT_S) == 0
            assert apps and not any(map(alive, apps))


def test_open_starts_the_browser_with_an_address_of_its_own(place: Place, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = tmp_path / "my-browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}.new && mv {told}.new {told}\n')
    script.chmod(0o755)
    environment = place.environment(BROWSER=f"{script} %s")
    with serving(place, "--open", env=environment) as served:
        while not told.exists():
            assert served.process.poll() is None
        assert told.read_text().startswith(f"{served.origin}/?token=")
        assert told.read_text() != served.link


def test_an_address_that_cannot_be_served_is_told_before_anything_is(place: Place, served: Served) -> None:
    port = cold(place, "serve", "spec.yaml", "--port", str(served.port))
    assert port.status == 2 and f"port {served.port} of 127.0.0.1 is in use" in port.err
    everywhere = cold(place, "serve", "--host", "0.0.0.0", "--port", "0")
    assert everywhere.status == 2 and "--url" in everywhere.err
    assert not port.out + everywhere.out


@pytest.mark.parametrize(
    ("words", "reason"),
    [(["nowhere.yaml"], "nowhere.yaml"), (["--prune"], "go with a SPEC"), (["--max-minutes", "0"], "go with a SPEC"),
     (["spec.yaml", "--model", "cheap"], "is not ROLE=MODEL"), (["spec.yaml", "--max-minutes", "nan"], "no amount")],
)  # fmt: skip
def test_what_is_wrong_is_said_before_anything_is_served(place: Place, words: list[str], reason: str) -> None:
    refused = cold(place, "serve", "--port", "0", *words)
    assert refused.status == 2 and reason in refused.err
    assert not refused.out
