"""`ceopt idea`: a person's words become the next experiment; what waits is listed; bad places are refused."""

from __future__ import annotations

import json
from pathlib import Path

from ceopt_process import warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, make_project

WORDS = "name the three queues and allow nothing else"


def test_an_idea_is_tried_next_and_kept_by_the_same_evidence(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel(opening=True)) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, proposer="llm", stopping="max_iterations: 1")
        place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
        early = warm().run(place, "idea", "spec.yaml", WORDS)
        assert early.status == 2 and "no run 'triage'" in early.err
        warm().run(place, "approve", "spec.yaml")
        warm().run(place, "run", "spec.yaml", "--unattended", "--max-ticks", "1")
        put = warm().run(place, "idea", "triage", f"  {WORDS}\n", "--benefit", "all of it")
        assert put.status == 0 and put.out.endswith("is on the backlog, before all others\n"), put.err
        assert "to try it: ceopt run spec.yaml" in put.err
        listed = warm().run(place, "idea", "spec.yaml").out.splitlines()
        assert listed[0].endswith(WORDS) and listed[1] == "      expected: all of it"
        again = warm().run(place, "idea", "spec.yaml", WORDS)
        assert again.status == 2 and "on the backlog already" in again.err
        before = len(endpoint.bodies)
        run = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        started = [event["hypothesis_id"] for event in run.events if event["event"] == "experiment_started"]
        assert started[:1] == [put.out.split()[1]], run.err
        asked = [json.dumps(body) for body in endpoint.bodies[before:] if body["model"] == "gpt-4o"]
        assert asked and WORDS in asked[0]
        assert warm().run(place, "idea", "spec.yaml").out.startswith("no idea waits")


def test_where_nobody_can_make_a_change_of_words_it_is_refused(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel(opening=True)) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, stopping="max_iterations: 1")
        warm().run(place, "approve", "spec.yaml")
        warm().run(place, "run", "spec.yaml", "--unattended")
    refused = warm().run(place, "idea", "spec.yaml", WORDS)
    assert refused.status == 2 and "its proposer (mechanical) makes moves of its own" in refused.err
    empty = warm().run(place, "idea", "spec.yaml", " ")
    assert empty.status == 2
