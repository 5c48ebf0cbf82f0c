"""A person may edit themes while nobody works on the run: the edit is a record like any other."""

import os
from pathlib import Path

import pytest
from ceopt_process import warm
from judged_project import NotesModel, make_judged
from stub_endpoint import StubEndpoint

from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.catalogue import entry_of_spec
from ceopt_tui.ui.run_model import RunModel
from schemas.judging_records import ThemeEdited


@pytest.mark.exhaustive
async def test_an_edit_on_an_idle_run_is_on_record_and_seen(tmp_path: Path) -> None:
    with StubEndpoint(respond=NotesModel()) as endpoint:
        place = make_judged(tmp_path, endpoint.api_base, stopping="max_iterations: 1")
        warm().run(place, "approve", "spec.yaml")
        assert warm().run(place, "run", "spec.yaml", "--unattended").status == 0
    options = RunOptions(place.root / "spec.yaml", attended=True, environ={**os.environ, **place.environ})
    model = RunModel(entry_of_spec(options))
    theme = model.state.judging.themes[0]
    assert model.commit is not None
    await model.commit(ThemeEdited(op="rename", theme=theme.id, name="who is it for", by="person"))
    assert model.state.judging.edits[-1].name == "who is it for"
    assert read_state(model.entry.folder).judging.edits[-1].name == "who is it for"
