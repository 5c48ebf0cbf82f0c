"""What ten thousand experiments in one run cost: an append at its end, a resume, a look, the readable view.

`python tests/benchmarks/bench_long_run.py [--experiments N] [--runs N]`; beside plain JSON reading of the same file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from ceopt_tui.engine.log_view import log_document
from ceopt_tui.following import FollowedRun
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.journal import Journal
from ceopt_tui.looking import read_state
from schemas import records as r
from schemas.yaml_dump import dump

RESUME_AIM_S = 1.5
FLAT_AIM = 1.5  # times an append at the start
START = r.RunStarted(
    run_id="r", name="long", ceopt_version="0", repository="", spec_file="spec.yaml", spec_digest="s",
    approval_digest="a", measurement_digest="m", base_sha="b", branch="optimize/long", texts={"p.md": "x"},
    text_digest="base", seed=7,
)  # fmt: skip


def experiment(number: int, runs: int) -> Iterator[r.AnyRecord]:
    """The records of one experiment that was measured and reverted."""
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


def timed(what: str, action: Callable[[], object], aim_s: float | None = None) -> float:
    """Runs it, prints and returns its seconds of processor time: other work of the machine does not count."""
    began = time.process_time()
    action()
    took_s = time.process_time() - began
    aim = "" if aim_s is None else f"   aim {aim_s:.1f} s: {'held' if took_s <= aim_s else 'MISSED'}"
    print(f"{what:<46} {took_s:8.3f} s{aim}")
    return took_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=4, help="case runs of an experiment")
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place) / "long"
        took = append_all(folder, given.experiments, given.runs)
        path = folder / "journal.jsonl"
        tenth = max(1, len(took) // 10)
        # The quick ones: a slow one waited for somebody else's disk writes.
        first, last = (statistics.quantiles(part, n=10)[0] for part in (took[:tenth], took[-tenth:]))
        print(f"{given.experiments:,} experiments, {path.stat().st_size / 1e6:.1f} MB")
        verdict = "held" if last / first <= FLAT_AIM else "MISSED"
        print(f"append, quick ones of first and last tenth     {first * 1e3:8.3f} ms {last * 1e3:8.3f} ms   "
              f"{last / first:.2f} ×, aim {FLAT_AIM} ×: {verdict}")  # fmt: skip
        timed("plain JSON of every line", lambda: [json.loads(line) for line in path.open("rb")])
        timed("resume: read, check, fold", lambda: read_state(folder), RESUME_AIM_S)
        followed = FollowedRun(folder, Repository(folder, folder, folder))
        timed("first look of status --watch", followed.look)
        journal = Journal.open(folder, now=lambda: datetime.now(UTC))
        journal.append(tuple(experiment(given.experiments + 1, given.runs)))
        journal.close()
        timed("every later look, one experiment on", followed.look)
        state = followed.look().state
        timed("the readable view, written in steps", lambda: dump(log_document(state, "")))


if __name__ == "__main__":
    main()
