"""What ten thousand experiments in one run cost: an append at its end, a resume, a look, the files people read.

`python tests/benchmarks/bench_long_run.py [--experiments N] [--runs N]`; beside plain JSON reading of the same file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from ceopt_tui.commands.status import _words
from ceopt_tui.engine.digest import digest_text
from ceopt_tui.engine.log_view import LogText
from ceopt_tui.following import FollowedRun
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.journal import Journal
from ceopt_tui.looking import read_state
from schemas import records as r

RESUME_AIM_S = 1.5
FLAT_AIM = 1.5  # times an append at the start
WATCHED_S = 2.0  # how often `status --watch` looks
TEXT = "".join(f"Rule {number}: say it in plain words, and name the queue.\n" for number in range(16))
START = r.RunStarted(
    run_id="r", name="long", ceopt_version="0", repository="", spec_file="spec.yaml", spec_digest="s",
    approval_digest="a", measurement_digest="m", base_sha="b", branch="optimize/long", texts={"p.md": "x"},
    text_digest="base", seed=7,
)  # fmt: skip
NUMBERS: dict[str, float | int | None] = {
    "n": 4, "mean_difference": -0.25, "se": 0.2, "z": -1.2, "p": 0.8, "level": None, "sigma2": 0.1, "tau2": 0.01,
}  # fmt: skip


def experiment(number: int, runs: int) -> Iterator[r.AnyRecord]:
    """The records of one experiment that was measured and reverted, with no more in them than there has to be."""
    digest = f"text-{number}"
    yield r.HypothesisAdded(id=f"h{number}", description=f"say it in another way, {number}", category="wording",
                            move="replace", source="bench")  # fmt: skip
    yield r.ExperimentStarted(number=number, hypothesis_id=f"h{number}", base_digest="base", base_sha="b", branch="e")
    yield r.CandidateMade(number=number, text_digest=digest, texts={"p.md": f"x {number}"})
    for sample in range(runs):
        yield r.CaseRun(text_digest=digest, case_id=f"c{sample}", sample=0, step="exploratory", experiment=number,
                        output="returns", score=float(sample % 2), passed=bool(sample % 2))  # fmt: skip
    yield r.Decided(number=number, step="exploratory", decision="revert", next_measurement="none", reason="too small")
    yield r.ExperimentClosed(number=number, outcome="reverted", reason="no gain", moved=True)


def full_experiment(number: int, runs: int) -> Iterator[r.AnyRecord]:
    """The same as a run writes it: texts of a kilobyte, calls announced and priced, numbers, what was learnt."""
    for record in experiment(number, runs):
        if isinstance(record, r.CandidateMade):
            yield record.model_copy(update={"texts": {"p.md": f"{TEXT}x {number}"}})
            for call in range(runs):
                yield r.CallStarted(call_id=f"{number}-{call}", role="task", usd_reserved=0.002)
        elif isinstance(record, r.CaseRun):
            priced = r.CallFacts(role="task", model="openai/gpt-5-mini", call_id=f"{number}-{record.case_id[1:]}",
                                 input_tokens=310, output_tokens=4, usd=0.0001, latency_s=0.213)  # fmt: skip
            yield record.model_copy(update={"facts": priced, "detail": "expected billing, got returns"})
        elif isinstance(record, r.Decided):
            yield record.model_copy(update={"numbers": NUMBERS})
            yield r.Learnt(number=number, text="say it in another way (wording): reverted; no better than before")
        else:
            yield record


def append_all(folder: Path, experiments: int, runs: int) -> list[float]:
    """Seconds of each experiment's append, on disk when it returns."""
    took = []
    journal = Journal.open(folder, now=lambda: datetime.now(UTC))
    journal.append((r.TickStarted(tick=1, pid=1, host="h"), START))
    for number in range(1, experiments + 1):
        records = tuple(experiment(number, runs))
        began = time.perf_counter()
        journal.append(records)
        took.append(time.perf_counter() - began)
    journal.close()
    return took


def append_full(folder: Path, experiments: int, runs: int) -> None:
    """The journal as a run writes it."""
    moments = (datetime.fromtimestamp(place / 27, UTC) for place in count())
    with Journal.open(folder, now=lambda: next(moments)) as journal:
        journal.append((r.TickStarted(tick=1, pid=1, host="h"), START))
        for number in range(1, experiments + 1):
            journal.append(tuple(full_experiment(number, runs)))


def timed(what: str, action: Callable[[], object], aim_s: float | None = None, times: int = 1) -> float:
    """Runs it, prints and returns its seconds of processor time, the least of some `times`: what is ours of it."""
    seconds = []
    for _ in range(times):
        began = time.process_time()
        made = action()
        seconds.append(time.process_time() - began)
        del made  # what it takes to throw it away is no part of it
    took_s = min(seconds)
    aim = "" if aim_s is None else f"   aim {aim_s:.1f} s: {'held' if took_s <= aim_s else 'MISSED'}"
    print(f"{what:<46} {took_s:8.3f} s{aim}")
    return took_s


def tell_appends(took: Sequence[float]) -> None:
    """Whether an append costs at the end what it cost at the start."""
    tenth = max(1, len(took) // 10)
    # The quick ones: a slow one waited for somebody else's disk writes.
    first, last = (statistics.quantiles(part, n=10)[0] for part in (took[:tenth], took[-tenth:]))
    verdict = "held" if last / first <= FLAT_AIM else "MISSED"
    print(f"append, quick ones of first and last tenth     {first * 1e3:8.3f} ms {last * 1e3:8.3f} ms   "
          f"{last / first:.2f} ×, aim {FLAT_AIM} ×: {verdict}")  # fmt: skip


def reading(folder: Path, experiments: int, runs: int, aim_s: float | None) -> None:
    """Resume, follow, and the texts that are made of the whole run."""
    path = folder / "journal.jsonl"
    print(f"\n{folder.name}: {experiments:,} experiments, {path.stat().st_size / 1e6:.1f} MB")
    timed("plain JSON of every line", lambda: [json.loads(line) for line in path.open("rb")], times=3)
    timed("resume: read, check, fold", lambda: read_state(folder), aim_s, times=3)
    followed = FollowedRun(folder, Repository(folder, folder, folder))
    timed("first look of status --watch", followed.look)
    looked_s = timed("every later look, nothing new", lambda: _words(followed.look()))
    print(f"{'… of one processor, looking every two seconds':<46} {looked_s / WATCHED_S:8.2%}")
    with Journal.open(folder, now=lambda: datetime.now(UTC)) as journal:
        journal.append(tuple(experiment(experiments + 1, runs)))
        timed("a later look, one experiment on", lambda: _words(followed.look()))
    state, text = followed.look().state, LogText("")
    timed("the readable log after a resume, as `ceopt log`", lambda: text.of(state))
    timed("the readable log in steps, what is new of it", lambda: text.of(state))
    timed("the digest a proposer reads", lambda: digest_text(state, 1.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=4, help="case runs of an experiment")
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        short, full = Path(place) / "short-records", Path(place) / "full-records"
        tell_appends(append_all(short, given.experiments, given.runs))
        reading(short, given.experiments, given.runs, RESUME_AIM_S)
        append_full(full, given.experiments, given.runs)
        reading(full, given.experiments, given.runs, None)


if __name__ == "__main__":
    main()
