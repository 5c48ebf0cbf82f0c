"""`ceopt apply`: says what it did, and writes commits that git and its hosts show whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from triage_project import git, make_project

from ceopt_tui.commands import apply
from ceopt_tui.errors import SetupError
from ceopt_tui.journal.journal import Journal
from ceopt_tui.system_clock import SystemClock
from schemas import records as r

LONG = "say in so many words that an answer is one of the labels and nothing else, however it is asked for"
BEFORE, AFTER = "# Triage\n", "# Triage\n\nBe exact.\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a run that kept one change."""
    root = make_project(tmp_path, "http://127.0.0.1:9/v1", prompt=BEFORE.encode()).root
    for key, value in (("user.name", "me"), ("user.email", "me@localhost"), ("commit.gpgsign", "false")):
        git(root, "config", key, value)
    place = "prompts/triage.md"
    journal = Journal.open(tmp_path / "state" / "triage", now=SystemClock().now)
    journal.append([
        r.RunStarted(
            run_id="r", name="triage", ceopt_version="0", repository="", spec_file="", spec_digest="s",
            approval_digest="a", measurement_digest="m", base_sha="b", branch="optimize/triage",
            texts={place: BEFORE}, text_digest="old", seed=7,
        ),
        r.HypothesisAdded(id="h", description=LONG, category="c", move="append", source="fake"),
        r.ExperimentStarted(number=1, hypothesis_id="h", base_digest="old", base_sha="b", branch="e"),
        r.CandidateMade(number=1, text_digest="new", texts={place: AFTER}),
        r.ExperimentClosed(number=1, outcome="kept", reason="confirmed", moved=True),
        r.Committed(number=1, text_digest="new", commit="c0ffee", branch="optimize/triage"),
        r.Stopped(outcome="plateau", reason="enough"),
    ])  # fmt: skip
    journal.close()
    monkeypatch.chdir(root)
    return root


def call(root: Path, *arguments: str) -> Result:
    state = root.parent / "state"
    return CliRunner().invoke(apply.command, ["triage", "--state-root", str(state), *arguments])


def test_a_second_apply_says_that_nothing_was_left_to_write(root: Path) -> None:
    assert call(root).output == "written: prompts/triage.md\n"
    assert (root / "prompts" / "triage.md").read_text("utf-8") == AFTER
    assert call(root).output == "already holding the new text: prompts/triage.md\n"


def test_a_long_description_is_told_in_the_body(root: Path) -> None:
    assert "committed as" in call(root, "--commit").output
    subject, body = git(root, "log", "-1", "--format=%s%x00%b").split("\0")
    assert subject.startswith("triage: say in so many words") and len(subject) <= 72 and subject.endswith("…")
    assert LONG in body and "1 change kept." in body


def test_a_text_to_paste_and_a_commit_are_not_asked_for_together(root: Path) -> None:
    refused = call(root, "--commit", "--pr")
    assert refused.exit_code == 2 and "--commit" in refused.output
    assert (root / "prompts" / "triage.md").read_text("utf-8") == BEFORE


def test_a_pull_request_text_goes_into_a_new_file_and_over_no_other(root: Path) -> None:
    printed = call(root, "--pr").output
    assert printed.startswith("# triage: say in so many words") and "+Be exact.\n" in printed
    out = root.parent / "pr.md"
    assert call(root, "--pr", "--out", str(out)).output == f"written: {out}\n"
    assert out.read_text("utf-8") == printed
    out.write_text("mine", "utf-8")
    refused = call(root, "--pr", "--out", str(out))
    assert isinstance(refused.exception, SetupError) and out.read_text("utf-8") == "mine"
    assert call(root, "--out", str(out)).exit_code == 2
    assert (root / "prompts" / "triage.md").read_text("utf-8") == BEFORE
