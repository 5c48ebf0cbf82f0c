"""One small run from its approval to its report, what it came to, and what must hold however often it was cut."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_process import Ended, Place, warm
from scenes import Scene
from stub_endpoint import StubEndpoint
from triage_project import git, make_project, users_files

from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.lock import OWNER_NAME, is_held
from ceopt_tui.journal.replay import replay

RUN = ("run", "spec.yaml", "--unattended", "--json")
KILLED = -9
CONCURRENCY = 4


def state_of(place: Place) -> Path:
    """The state folder of the run that `spec.yaml` describes."""
    name = (place.root / "spec.yaml").read_text(encoding="utf-8").splitlines()[0].removeprefix("name: ")
    return place.root / ".context" / "ceopt" / name


def journal_bytes(place: Place) -> bytes:
    path = state_of(place) / JOURNAL_NAME
    return path.read_bytes() if path.is_file() else b""


def journal(place: Place) -> str:
    return journal_bytes(place).decode()


def records(place: Place, kind: str) -> list[dict[str, Any]]:
    return [record for record in map(json.loads, journal(place).splitlines()) if record["kind"] == kind]


def approved(folder: Path, endpoint: StubEndpoint, **project: Any) -> Place:
    """A project whose run may start."""
    place = make_project(folder, endpoint.api_base, **project)
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place


@dataclass(frozen=True)
class Ending:
    """What a run came to, times and costs aside."""

    outcome: Any
    kept: tuple[str, ...]  # mode, blob and path of every file on the branch but the report
    report: str
    log: tuple[Any, ...]
    branch: tuple[str, ...]
    users: dict[str, object]


def ending(place: Place, ended: Ended) -> Ending:
    figures = {key: ended.last[key] for key in ("status", "outcome", "reason", "baseline", "final", "held_out", "kept")}
    name = state_of(place).name
    branch = f"optimize/{name}"
    report = git(place.root, "show", f"{branch}:docs/optimize/{name}-report.md")
    files = git(place.root, "ls-tree", "-r", branch).splitlines()
    closed = records(place, "experiment_closed")
    return Ending(
        figures,
        tuple(line for line in files if "\tdocs/optimize/" not in line),
        re.sub(r"## Cost by role.*?(?=## )|\b[0-9a-f]{10,40}\b", "", report, flags=re.S),
        tuple((one["number"], one["outcome"], one["reason"], one["fixed"], one["regressions"]) for one in closed),
        tuple(git(place.root, "log", "--format=%s", f"main..{branch}").splitlines()),
        of_the_user(place.root),
    )


def of_the_user(root: Path) -> dict[str, object]:
    """All that no run may change: files, branch, commit, index, settings, hooks, other branches."""
    refs = git(root, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return {
        **users_files(root),
        "index": git(root, "ls-files", "--stage"),
        "settings": (root / ".git" / "config").read_bytes(),
        "hooks": sorted(path.name for path in (root / ".git" / "hooks").iterdir()),
        "refs": [ref for ref in refs if not ref.startswith("refs/heads/optimize")],
    }


def assert_nothing_lost(place: Place, before: bytes, shown: str) -> None:
    """What was in the journal is in it still, and what was shown to anyone is in it as well."""
    good = before[: before.rfind(b"\n") + 1]
    assert journal_bytes(place).startswith(good), "records are gone from the journal"
    events = [json.loads(line) for line in shown.splitlines() if line.endswith("}")]
    stored = {record.seq for record in replay(state_of(place) / JOURNAL_NAME).records}
    unseen = {event["seq"] for event in events if "seq" in event} - stored
    assert not unseen, f"shown and not stored: records {sorted(unseen)}"


def assert_sound(place: Place, endpoint: StubEndpoint, whole: Whole, again: int, scene: Scene) -> None:
    """Nothing is measured twice, no more than `again` requests were sent twice, nothing is left lying about."""
    measured = Counter(tuple(one[key] for key in scene.identity) for one in records(place, scene.measured))
    assert set(measured.values()) == {1}, f"measured again: {measured.most_common(3)}"
    assert len(measured) == whole.measured, f"{len(measured)} measurements where {whole.measured} do"
    assert endpoint.posts <= whole.posts + again, f"{endpoint.posts} requests where {whole.posts} do"
    numbers = Counter(record["number"] for record in records(place, "experiment_started"))
    assert set(numbers.values()) == {1} and sorted(numbers) == list(range(1, len(numbers) + 1)), f"{numbers}"
    log = (state_of(place) / "experiment-log.yaml").read_text(encoding="utf-8")
    assert all(log.count(f"id: exp-{number:03d}\n") == 1 for number in numbers)
    assert not left_over(place), f"left behind: {left_over(place)}"


def left_over(place: Place) -> list[str]:
    """Working files, checkouts, branches and locks that a run which has ended has no use for."""
    root, state = place.root, state_of(place)
    found = git(root, "worktree", "list").splitlines()[1:]
    found += git(root, "branch", "--list", "optimize-exp/*").split()
    found += ["held"] if is_held(state) else []
    for folder in (state, root / ".git", place.home):
        found += [str(path) for path in folder.rglob("*") if is_litter(path)]
    return found


def is_litter(path: Path) -> bool:
    """Is this a file that only a process at work needs?"""
    name = path.name
    return (
        name == OWNER_NAME
        or name.endswith((".tmp", ".ceopt-tmp", ".lock"))
        or name.startswith("ceopt-index-")
        or path.parent.name in ("worktrees", "scratch")
    )


@dataclass(frozen=True)
class Whole:
    """What a run came to that nobody disturbed, and what it took."""

    ending: Ending
    posts: int
    measured: int
    calls: tuple[tuple[str, str], ...] = ()  # boundary calls: (kind, what it was done to), in order


@dataclass(frozen=True)
class Template:
    """An approved project to copy."""

    scene: str
    place: Place
    users: dict[str, object]

    def copied(self, folder: Path, api_base: str) -> Place:
        """The project once more, with an endpoint and a folder for temporary files of its own."""
        shutil.copytree(self.place.root, folder / "repo", symlinks=True)
        shutil.copytree(self.place.home, folder / "home", symlinks=True)
        temporary = folder / "home" / "tmp"
        temporary.mkdir()
        environ = {**self.place.environ, "OPENAI_BASE_URL": api_base, "TMPDIR": str(temporary)}
        return Place(folder / "repo", folder / "home", environ)
