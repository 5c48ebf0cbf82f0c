"""A start that leaves work says what the run waits for and what will start it again: to scripts, people and the log."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from ceopt_process import warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, make_project

RUN = ("run", "spec.yaml", "--unattended")
WAKE = "cron, every 30m"


def test_a_start_that_leaves_work_says_when_to_come_back(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel()) as endpoint:
        place = make_project(tmp_path, endpoint.api_base)
        place.environ["CEOPT_WAKE"] = f" {WAKE}\n"
        timed = warm().run(place, *RUN, "--json", "--max-minutes", "0")
        assert timed.status == 75
        assert timed.last["pending_waits"] == [{"on": "next_start", "until": "at any time", "wake": WAKE}]
        log = yaml.safe_load((place.root / ".context/ceopt/triage/experiment-log.yaml").read_text("utf-8"))
        assert log["run_state"]["pending_waits"] == timed.last["pending_waits"]
        assert f"  started again by itself: {WAKE}\n" in warm().run(place, "status").out
        assert (
            json.loads(warm().run(place, "status", "--json").out)[0]["pending_waits"]
            == log["run_state"]["pending_waits"]
        )
        blocked = warm().run(place, *RUN)
        assert blocked.status == 4
        again = f"ceopt run {place.root}/spec.yaml --unattended"
        going_on = f"to go on, once a person has answered, and by itself: {WAKE}: {again}\n"
        assert going_on in blocked.err
        del place.environ["CEOPT_WAKE"]
        warm().run(place, "approve", "spec.yaml")
        ended = warm().run(place, *RUN, "--json")
        assert ended.status == 0 and ended.last["pending_waits"] == []
        log = yaml.safe_load((place.root / ".context/ceopt/triage/experiment-log.yaml").read_text("utf-8"))
        assert log["run_state"]["status"] == "finished" and log["run_state"]["pending_waits"] == []
