"""experiment-log.yaml: rendered piece by piece it reads as rendered whole, and follows a long run in steps."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from histories import begun, ended, state_of, tried
from judged_histories import judged
from triage_project import git
from world import World, helps

from ceopt_tui.commands import log
from ceopt_tui.core.state.fold import apply, fold
from ceopt_tui.engine.files import VIEW_EVERY, LogView
from ceopt_tui.engine.log_view import LOG_NAME, LogText, log_document
from ceopt_tui.journal.journal import Journal
from ceopt_tui.looking import read_state
from ceopt_tui.system_clock import SystemClock
from schemas import records as r
from schemas.yaml_dump import dump

SPEC = "name: fake\n# with a comment\n"


def test_at_every_record_of_a_run_it_reads_as_rendered_whole() -> None:
    text, state = LogText(SPEC), state_of()
    kept = tried(1, "be exact", "kept", "confirmed", "Answer.\nBe exact.\n")
    for record in [*begun(), *kept, *tried(2, "a: b # c\n- d", "reverted", "- no\n"), *tried(3, "open"), *ended()]:
        apply(state, record)
        assert text.of(state) == dump(log_document(state, SPEC))


def test_what_was_hidden_is_shown_once_it_may_be_seen() -> None:
    text, state = LogText(SPEC), state_of(judged(), tried(1, "be exact", "reverted", "no gain"))
    assert "no gain" not in text.of(state)
    fold([r.Stopped(outcome="plateau", reason="enough")], state)
    assert "no gain" in text.of(state) and text.of(state) == dump(log_document(state, SPEC))


async def test_the_file_of_a_run_is_that_of_its_journal(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    await world.tick()
    written = (tmp_path / LOG_NAME).read_text(encoding="utf-8")
    assert written == dump(log_document(read_state(tmp_path), "name: fake\n"))


async def test_a_long_run_is_not_written_anew_for_every_experiment(tmp_path: Path) -> None:
    view, state = LogView(tmp_path, SPEC), state_of(begun())
    due = []
    for number in range(1, 3 * VIEW_EVERY + 1):
        fold(tried(number, "say it", "reverted", "no"), state)
        if view.is_due(state):
            due.append(number)
            await view.write(state)
    assert due == [*range(1, VIEW_EVERY), 2 * VIEW_EVERY - 1, 3 * VIEW_EVERY - 1]


@pytest.mark.parametrize(("last", "shown"), [("2", ["exp-002", "exp-003"]), ("0", []), ("9", None)])
def test_the_log_shows_as_many_experiments_as_wanted(
    last: str, shown: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "start")
    monkeypatch.chdir(tmp_path)
    three = [record for number in (1, 2, 3) for record in tried(number, "say it", "reverted", "no")]
    with Journal.open(tmp_path / "state" / "triage", now=SystemClock().now) as journal:
        journal.append([*begun(), *three])
    result = CliRunner().invoke(log.command, ["--last", last, "--state-root", "state"], standalone_mode=False)
    found = [one["id"] for one in yaml.safe_load(result.output)["experiments"]]
    assert found == (["exp-001", "exp-002", "exp-003"] if shown is None else shown)
