"""Whole runs over a real hub with workers as processes of their own: waiting, lateness, death, double work, lies.

The dispatch command only puts the recipe aside; the test then plays the cluster with `ceopt worker`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, warm
from remote_run import EDIT, at_hub, made, of
from stub_endpoint import StubEndpoint
from triage_project import git

RUN = ("run", "spec.yaml", "--unattended", "--json")
EXP = "optimize-exp/less-work/exp-001"
SOON = ", deadline_minutes: 0.03"


def approved(
    folder: Path, endpoint: StubEndpoint, experiments: int = 1, edit: str = EDIT, deadline: str = "", wake: str = "cron"
) -> Place:
    put_aside = f"cp {{recipe}} {folder}/held-{{number}}.json; echo job {{number}}"
    execution = (
        f"{{backend: remote, max_concurrent: 1, remote: {{dispatch: command, command: '{put_aside}'{deadline}}}}}"
    )
    place = made(folder, endpoint, execution, experiments, edit)
    place.environ["CEOPT_WAKE"] = wake
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place


def work(place: Place, number: int = 1) -> Ended:
    """One worker carries out what was handed out."""
    return warm().run(place, "worker", "--recipe", str(place.root.parent / f"held-{number}.json"))


def the_end(place: Place) -> Ended:
    """Starts as a schedule makes them, until the run has ended."""
    for _ in range(100):
        ended = warm().run(place, *RUN)
        if ended.status != 75:
            return ended
    raise AssertionError(ended.out)


@pytest.mark.exhaustive
def test_a_start_says_what_it_waits_for_and_the_next_one_collects(tmp_path: Path, endpoint: StubEndpoint) -> None:
    place = approved(tmp_path, endpoint, wake="")
    first = warm().run(place, *RUN, "--max-minutes", "0.02")
    assert (first.status, first.last["status"], first.last["outcome"]) == (75, "waiting", "time"), first.err
    [wait] = first.last["pending_waits"]
    assert wait["on"] == "workers" and "have delivered exp-001, or after 20" in wait["until"]
    [handed] = of(first, "dispatched")
    assert (handed["receipt"], handed["ref"]) == ("job 1", EXP)
    assert f"  goes on {wait['until']}\n" in warm().run(place, "status").out

    assert work(place).out == f"{EXP}\n"
    double = work(place).out.strip()  # handed out once, carried out twice
    assert double.startswith(f"{EXP}-")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1), ended.err
    taken, other = of(ended, "delivered")
    assert taken["taken"] and taken["ref"] == EXP
    assert (other["taken"], other["ref"], other["reason"]) == (False, double, "another result was taken before it")
    assert at_hub(place) == [double.rpartition("/")[2]]
    deciding = {one["measured_by"] for one in of(ended, "command_measured") if one["pairing"] == "independent"}
    claimed = {one["measured_by"] for one in of(ended, "command_measured") if one["pairing"] == "standalone"}
    assert deciding and not deciding & claimed
    assert "result.yaml" not in git(place.root, "ls-tree", "-r", "--name-only", "optimize/less-work")
    assert f"exp-001: a result at {double} is not taken" in warm().run(place, "report").out


def test_a_start_of_a_schedule_leaves_at_once(tmp_path: Path, endpoint: StubEndpoint) -> None:
    place = approved(tmp_path, endpoint)
    first = warm().run(place, *RUN)
    assert (first.status, first.last["outcome"], first.last["pending_waits"][0]["wake"]) == (75, "results", "cron")
    again = warm().run(place, *RUN)
    assert again.status == 75 and not of(again, "dispatched"), "handed out twice"


def test_figures_better_than_the_commit_gives_are_not_believed(tmp_path: Path, endpoint: StubEndpoint) -> None:
    place = approved(tmp_path, endpoint, edit=EDIT.replace('1: "0"', '1: "100 "'))
    warm().run(place, *RUN)
    work(place)
    clone = tmp_path / "forged"
    git(tmp_path, "clone", "--quiet", "--branch", EXP, str(tmp_path / "hub.git"), str(clone))
    honest = (clone / "result.yaml").read_text()
    baseline, mark, candidate = honest.partition("candidate:")
    assert mark and "400" in candidate
    (clone / "result.yaml").write_text(f"{baseline}{mark}{candidate.replace('400', '40')}")
    git(clone, "commit", "--quiet", "--all", "--amend", "--no-edit")
    git(clone, "push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{EXP}")

    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["kept"]) == (0, 0), ended.err
    assert ended.last["outcome"] in {"no_improvement", "inconclusive"}
    claims = [one for one in of(ended, "command_measured") if one["pairing"] == "standalone"]
    assert [one["values"]["work"] for one in claims if one["arm"] == "candidate"] == [40]
    own = [one for one in of(ended, "command_measured") if one["pairing"] == "independent"]
    assert {one["values"]["work"] for one in own} == {400}
    [closed] = of(ended, "experiment_closed")
    assert closed["outcome"] in {"reverted", "inconclusive", "not_selected"}
    assert endpoint.posts == 0, "a change that is no gain needs no reader"


# It says that it began and waits to be let go, once; a second try on the same machine works.
HANGS = """\
import os
from pathlib import Path
here = Path(__file__).parent
try:
    (here / "began").touch(exist_ok=False)
    (here / "go").open().read()
except FileExistsError:
    pass
"""


@pytest.mark.exhaustive
def test_a_worker_that_died_is_given_up_and_what_comes_later_is_never_taken(
    tmp_path: Path, endpoint: StubEndpoint
) -> None:
    place = approved(tmp_path, endpoint, experiments=2, edit=HANGS + EDIT, deadline=SOON)
    os.mkfifo(tmp_path / "go")
    started = warm().run(place, *RUN)
    assert started.status == 75, started.err
    recipe = str(tmp_path / "held-1.json")
    killed = warm().run_until((tmp_path / "began").exists, place, "worker", "--recipe", recipe)
    assert killed.status == -9 and at_hub(place) == []
    with contextlib.suppress(OSError):  # its program has died with it
        os.close(os.open(tmp_path / "go", os.O_WRONLY | os.O_NONBLOCK))

    closed = []
    while not closed:  # as long as it may be late, and no longer than the test's own limit
        tick = warm().run(place, *RUN)
        closed = [one for one in of(tick, "experiment_closed") if one["number"] == 1]
    assert closed[0]["outcome"] == "error"
    assert closed[0]["reason"] == f"nothing was pushed to {EXP} within 1.8 s"
    if not (tmp_path / "held-2.json").exists():
        warm().run(place, *RUN)

    assert work(place).out == f"{EXP}\n"
    ended = the_end(place)
    assert (ended.status, ended.last["kept"]) == (0, 0), ended.err
    log = warm().run(place, "log").out
    assert "exp-001" in log
    report = warm().run(place, "report").out
    assert f"exp-001: a result at {EXP} is not taken: it came after its experiment was closed" in report
    assert "exp-001" in at_hub(place)
    assert git(place.root, "rev-parse", "optimize/less-work:src") == git(place.root, "rev-parse", "main:src")
