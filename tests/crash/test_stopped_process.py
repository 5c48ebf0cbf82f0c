"""A process that stands still, as under a closed lid, and goes on: nothing it waited for counts as a failure."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from scenes import PROJECT
from stub_endpoint import StubEndpoint
from triage_project import TriageModel
from whole_run import CONCURRENCY, RUN, approved, records

pytestmark = pytest.mark.crash

IMPATIENT = "runner: {timeout_s: 2, retries: 0}\n"


@dataclass
class Lid:
    """Stops the process of a run for a while as soon as some of its requests are under way; never ends it."""

    place: Place
    endpoint: StubEndpoint
    closed_s: float
    was_closed: bool = False

    def __call__(self) -> bool:
        if not self.was_closed and self.endpoint.posts >= 6:
            self.was_closed = True
            (started,) = records(self.place, "tick_started")
            os.kill(started["pid"], signal.SIGSTOP)
            time.sleep(self.closed_s)
            os.kill(started["pid"], signal.SIGCONT)
        return False


@pytest.mark.exhaustive
@pytest.mark.parametrize("closed_s", [4, 10])
def test_a_stopped_process_asks_again_and_scores_every_item(closed_s: float, tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel(), delay_s=0.05) as endpoint:
        place = approved(tmp_path, endpoint, more=IMPATIENT, **PROJECT)
        lid = Lid(place, endpoint, closed_s)
        ended = warm().run_until(lid, place, *RUN)
        assert lid.was_closed
        assert (ended.status, ended.last["outcome"], ended.last["unscored"]) == (0, "improved", 0), ended.err
        runs = Counter((run["text_digest"], run["case_id"], run["sample"]) for run in records(place, "case_run"))
        assert set(runs.values()) == {1}
        assert all(run["score"] is not None for run in records(place, "case_run"))
        assert endpoint.posts <= len(runs) + CONCURRENCY
    assert all(run["facts"]["latency_s"] >= 0 for run in records(place, "case_run"))
