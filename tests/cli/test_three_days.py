"""Three days of a laptop whose cron starts a run: asleep at night, an outage, a person on day two, then the report."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Place
from fakes import FakeClock
from stub_endpoint import Reply, StubEndpoint
from triage_project import CONTRACT, TriageModel, git, make_project, users_files

from ceopt_tui.cli import ceopt
from ceopt_tui.system_clock import SystemClock

MINUTE = timedelta(minutes=1)
CALL_MIN = 6  # what a call of the model takes
MONDAY = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
WAKE = "cron, every 4h"


def starts(fields: str, since: datetime) -> Iterator[datetime]:
    """The moments after `since` that the five fields of a crontab's line name; only steps, stars and numbers."""
    minute, hour, *days = fields.split()
    assert days == ["*", "*", "*"]
    moment = since.replace(second=0, microsecond=0)
    while True:
        moment += MINUTE
        if _named(minute, moment.minute) and _named(hour, moment.hour):
            yield moment


def _named(written: str, value: int) -> bool:
    star, _, step = written.partition("/")
    return value % int(step or 1) == 0 if star == "*" else value == int(written)


def asleep(moment: datetime) -> bool:
    return not 8 <= moment.hour < 22


@dataclass
class Laptop:
    """One clock for everything: what the machine says, and what its calls take."""

    clock: FakeClock
    place: Place
    environ: Callable[[dict[str, str]], None]
    printed: Callable[[], str]
    outs: list[str] = field(default_factory=list)

    def ceopt(self, *args: str, **more: str) -> int:
        self.environ(self.place.environment(**more))
        status = ceopt.main(args, standalone_mode=False)
        self.outs.append(self.printed())
        return int(status or 0)

    def wake_at(self, moment: datetime) -> None:
        """Wall time goes on while the machine sleeps or idles; its monotonic clock counts no work for it."""
        self.clock.wall = max(self.clock.wall, moment)

    def journal(self) -> list[dict[str, Any]]:
        path = self.place.root / ".context/ceopt/triage/journal.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def waits(self) -> Any:
        self.ceopt("status", "--json")
        return json.loads(self.outs[-1])[0]["pending_waits"]


OUTAGE = (datetime(2026, 1, 5, 16, tzinfo=UTC), datetime(2026, 1, 5, 20, tzinfo=UTC))
PERSON = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)  # looks, and approves
EVENING = datetime(2026, 1, 7, 22, tzinfo=UTC)


@pytest.fixture
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Laptop]:
    clock, model = FakeClock(wall=MONDAY), TriageModel()

    def answer(body: dict[str, Any]) -> Reply:
        clock.advance(CALL_MIN * 60)
        return "500" if OUTAGE[0] <= clock.wall < OUTAGE[1] else model(body)

    def environ(values: dict[str, str]) -> None:
        for name in ("CEOPT_WAKE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    monkeypatch.setattr(SystemClock, "now", lambda self: clock.now())
    monkeypatch.setattr(SystemClock, "monotonic", lambda self: clock.monotonic())
    with StubEndpoint(respond=answer) as endpoint:
        stopping = "max_iterations: 5, max_hours: 40, target_reached: false"
        place = make_project(tmp_path, endpoint.api_base, stopping=stopping, more="runner: {retries: 0}")
        spec = place.root / "spec.yaml"
        spec.write_text(spec.read_text("utf-8").replace("concurrency: 4", "concurrency: 1"), "utf-8")
        monkeypatch.chdir(place.root)
        yield Laptop(clock, place, environ, lambda: capsys.readouterr().out)


def command_of(line: str) -> tuple[str, Sequence[str]]:
    """(what the start is told of the next one, arguments of `ceopt`) of a printed crontab line."""
    found = re.search(r"exec env (.+?); \} >>", line.replace(r"\%", "%"))
    assert found is not None
    told, *words = (word for word in shlex.split(found[1]) if not word.startswith("PATH="))
    assert told.startswith("CEOPT_WAKE=") and words[0].endswith("/ceopt")
    return told.removeprefix("CEOPT_WAKE="), words[1:]


@dataclass(frozen=True)
class Start:
    at: datetime
    status: int
    waits: tuple[dict[str, str], ...]  # what the run waited for afterwards


def cron(laptop: Laptop, until: datetime) -> list[Start]:
    """Everything cron does from Monday morning on."""
    laptop.ceopt("schedule", "spec.yaml", "--every", "4h")
    line = laptop.outs[-1]
    wake, words = command_of(line)
    done: list[Start] = []
    for moment in takewhile(lambda moment: moment < until, starts(" ".join(line.split()[:5]), MONDAY)):
        if asleep(moment):
            continue  # cron leaves out what was missed
        if done and done[-1].at < PERSON <= moment:
            laptop.wake_at(PERSON)
            laptop.ceopt("approve", "spec.yaml")
        laptop.wake_at(moment)
        status = laptop.ceopt(*words, CEOPT_WAKE=wake)
        done.append(Start(moment, status, tuple(laptop.waits())))
    return done


def test_the_first_day_ends_with_a_question(laptop: Laptop) -> None:
    done = cron(laptop, PERSON - timedelta(hours=12))
    assert [start.status for start in done] == [75, 3, 4]
    _says_what_it_waits_for(done)


@pytest.mark.exhaustive
def test_a_run_of_three_days_by_its_crontab_line(laptop: Laptop) -> None:
    before = users_files(laptop.place.root)
    done = cron(laptop, EVENING)
    _leaves_by_its_statuses(done)
    _says_what_it_waits_for(done)
    _asks_and_measures_nothing_twice(laptop.journal())
    _tells_work_from_the_calendar(laptop.journal())
    root = laptop.place.root
    assert CONTRACT in git(root, "show", "optimize/triage:prompts/triage.md")
    assert git(root, "show", "optimize/triage:docs/optimize/triage-report.md").startswith("# triage: improved")
    assert users_files(root) == before


def _leaves_by_its_statuses(done: Sequence[Start]) -> None:
    days = {day: [start.status for start in done if start.at.day == day] for day in (5, 6, 7)}
    assert days[5] == [75, 3, 4], "work in pieces, an outage at 16 h, then a question"
    assert days[6] == [4, 75, 75, 75], "the question waits, a person comes, and it goes on"
    assert days[7] == sorted(days[7], reverse=True) and set(days[7]) == {75, 0}, "it ends, and stays so"


def _says_what_it_waits_for(done: Sequence[Start]) -> None:
    waits = {4: "person", 3: "provider", 75: "next_start"}
    for start in done:
        said = [(wait["on"], wait["wake"]) for wait in start.waits]
        assert said == ([(waits[start.status], WAKE)] if start.status else []), start


def _asks_and_measures_nothing_twice(records: Sequence[dict[str, Any]]) -> None:
    kinds = Counter(record["kind"] for record in records)
    assert (kinds["asked"], kinds["approved"]) == (1, 2), "asked once; spec and baseline approved once"
    assert kinds["run_started"] == kinds["baseline_measured"] == kinds["report_written"] == kinds["finished"] == 1
    runs = [record for record in records if record["kind"] == "case_run" and record["unscored"] is None]
    assert len({(run["text_digest"], run["case_id"], run["sample"]) for run in runs}) == len(runs)


def _tells_work_from_the_calendar(records: Sequence[dict[str, Any]]) -> None:
    ticks = [record["active_s"] / 3600 for record in records if record["kind"] == "tick_ended"]
    calls = sum(record["kind"] == "case_run" for record in records)
    assert sum(ticks) == pytest.approx(calls * CALL_MIN / 60), "only calls took time"
    assert max(ticks) <= (200 + CALL_MIN) / 60, "no start works longer than it may, but for its last call"
    first, last = (datetime.fromisoformat(records[place]["at"]) for place in (0, -1))
    assert sum(ticks) < 30 < 45 < (last - first).total_seconds() / 3600 < 72
