"""A judge that takes no temperature scores all the same, and the run says what that means."""

from pathlib import Path
from typing import Any

import pytest
from ceopt_process import warm
from judged_project import NotesModel, make_judged
from stub_endpoint import Reply, StubEndpoint, failure

REFUSED = "Unsupported parameter: 'temperature' is not supported with this model."


@pytest.mark.exhaustive
def test_the_run_is_marked_as_judged_without_determinism(tmp_path: Path) -> None:
    notes = NotesModel()

    def respond(body: dict[str, Any]) -> Reply:
        if body["model"] == "judge-model" and "temperature" in body:
            return failure(400, REFUSED, "unsupported_parameter")
        return notes(body)

    with StubEndpoint(respond=respond) as endpoint:
        place = make_judged(tmp_path, endpoint.api_base, stopping="max_iterations: 1")
        warm().run(place, "approve", "spec.yaml")
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    said = [event["text"] for event in ended.events if event["event"] == "noted"]
    assert [text for text in said if "temperature" in text] == [
        "judge not deterministic: openai/judge-model takes no temperature"
    ]
    assert "judge not deterministic" in warm().run(place, "report", "spec.yaml").out
