"""The tour: a real run on recorded replies, with a word on each screen, that leaves nothing behind."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from pictures import check_picture
from stage import text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.state.proposals import WRAP_UP
from ceopt_tui.going_on import go_on
from ceopt_tui.replaying import Recorded, ReplayEndpoint, question_key
from ceopt_tui.tour import NOTES, lay_out_tour, recorded_replies
from ceopt_tui.ui.catalogue import RepositoryCatalogue
from ceopt_tui.ui.commands import PLACES
from ceopt_tui.ui.tour_app import TourApp

QUESTIONS = ("spec", "baseline", "keep", WRAP_UP)
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]


def ask(endpoint: ReplayEndpoint, body: Any) -> tuple[int, Any]:
    request = urllib.request.Request(f"{endpoint.base_url}/chat/completions", json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_what_was_recorded_is_given_again_and_nothing_else_is_made_up() -> None:
    with ReplayEndpoint({question_key(ASKED): Recorded("hi", 7, 1)}, delay_s=0) as endpoint:
        status, known = ask(endpoint, {"model": "openai/recorded", "messages": ASKED})
        assert (status, known["choices"][0]["message"]["content"]) == (200, "hi")
        assert known["usage"] == {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8}
        for other in ({"messages": ASKED[:1]}, {"messages": "x"}, [], {}):
            assert ask(endpoint, other)[0] == 400
        assert "one recorded run" in ask(endpoint, {"messages": []})[1]["error"]["message"]


def test_each_note_is_for_a_screen_there_is() -> None:
    assert set(NOTES) <= {*PLACES, *QUESTIONS}


def test_the_recording_is_whole() -> None:
    replies = recorded_replies()
    assert len(replies) >= 140 and all(reply.tokens_in > 0 for reply in replies.values())


async def in_time(app: TourApp, pilot: Pilot[int], wanted: str) -> None:
    for _ in range(1_500):
        if app.working is None or wanted in text_of(app):
            break
        await pilot.pause(0.02)
    await until(pilot, lambda: wanted in text_of(app), wanted)


@pytest.mark.exhaustive
async def test_the_whole_tour_by_keyboard(tmp_path: Path) -> None:
    with ReplayEndpoint(recorded_replies(), delay_s=0) as endpoint:
        options = lay_out_tour(tmp_path, endpoint.base_url, {"PATH": "/usr/bin:/bin"})
        app = TourApp(RepositoryCatalogue(options.spec_path.parent, options), go_on, FakeClock(), refresh_s=0.05)
        app.notes = NOTES
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await until(pilot, lambda: "arrival-dates" in text_of(app) and "Tour: a prompt finds" in text_of(app))
            await pilot.press("enter")
            await in_time(app, pilot, "Start measuring?")
            assert "Tour: nothing was called yet." in text_of(app)
            for wanted in ("Start measuring?", "Start optimizing?", "Keep this change?"):
                await in_time(app, pilot, wanted)
                await pilot.press("down", "enter")
            await in_time(app, pilot, "What now?")
            assert "Tour: the gain on cases never used before" in text_of(app)
            await pilot.press("up", "enter")
            await until(pilot, lambda: app.working is None)
            await until(pilot, lambda: "✓ finished" in text_of(app))
    assert endpoint.unknown == 0


async def test_the_tour_begins_with_a_word_on_what_is_there(tmp_path: Path) -> None:
    options = lay_out_tour(tmp_path, "http://127.0.0.1:9/v1", {"PATH": "/usr/bin:/bin"})
    catalogue = RepositoryCatalogue(options.spec_path.parent, options)
    catalogue.where = "/tmp/ceopt-tour/demo"
    app = TourApp(catalogue, go_on, FakeClock(), refresh_s=0.05)
    app.notes = NOTES
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "arrival-dates" in text_of(app) and "Tour: a prompt finds" in text_of(app))
        check_picture(app, "tour")
        await pilot.press("v")
        await until(pilot, lambda: "Tour: the failures as cases" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Tour: a prompt finds" in text_of(app))
        assert text_of(app).count("Tour:") == 1
