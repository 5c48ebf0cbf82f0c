"""A template whose cases fill nothing is refused before anything is paid; what is left in it is told."""

from __future__ import annotations

from pathlib import Path

from ceopt_process import Place, warm
from triage_project import make_project


def template(folder: Path, prompt: str) -> Place:
    place = make_project(folder, "http://127.0.0.1:9/v1", prompt=prompt.encode())
    spec = place.root / "spec.yaml"
    spec.write_text(
        spec.read_text().replace("files: [prompts/triage.md]", "files: [prompts/triage.md], role: template")
    )
    return place


def test_inputs_that_would_be_sent_nowhere_are_refused(tmp_path: Path) -> None:
    place = template(tmp_path, "Sort {message} into {queues}.\n")
    for command in (("check", "spec.yaml"), ("run", "spec.yaml", "--unattended")):
        refused = warm().run(place, *command)
        assert refused.status == 2
        assert "nothing of the input of c00, c01, c02 and 17 more would be sent" in refused.out + refused.err
        assert "its placeholders are message, queues" in refused.out + refused.err


def test_the_approval_says_how_placeholders_were_read_and_what_is_left(tmp_path: Path) -> None:
    told = warm().run(template(tmp_path, "Sort {input} into {queues}.\n"), "approve", "spec.yaml").err
    assert "Filled in  input, queues (brace, a guess; `target.syntax` settles it)" in told
    assert "Left as is queues, in 20 cases: c00, c01, c02" in told
