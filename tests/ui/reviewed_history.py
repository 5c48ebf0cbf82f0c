"""A run whose second experiment won on a triage prompt: a real project on disk, and its journal as a run leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fakes import FakeClock, terms
from histories import AT
from triage_project import git

from ceopt_tui.core.state.fold import fold
from ceopt_tui.inputs import digests
from ceopt_tui.journal.journal import Journal
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.wiring import project_of
from schemas import records as r

PROMPT = """\
# Triage

Read the message and name the queue it belongs to.

- Queues: billing, shipping, returns, account.
- A message about money belongs to billing.
- Answer in one word.
- Never promise a date.
- What came broken by post belongs to shipping.
"""
BETTER = PROMPT.replace(
    "- A message about money belongs to billing.",
    "- A message about money that is to come back belongs to returns, any other to billing.",
).replace("- Never promise a date.\n", "- Never promise a date.\n- A login that fails belongs to account.\n")
CASES = {
    "refund-after-30-days": ("I bought this in March, can I still return it?", "returns"),
    "wrong-size": ("The shoes are too small, I want my money back.", "returns"),
    "two-charges": ("You charged me twice this month.", "billing"),
    "gift-card": ("My gift card is empty, I want to return it.", "billing"),
    "login-[/]-lost": ("I cannot log in any more. See [/help] page.", "account"),
    "parcel-wet": ("My parcel arrived soaked.", "shipping"),
    "late": ("Where is my order? It should be here by now.", "shipping"),
    "vat": ("Can the VAT number be put on the bill?", "billing"),
    "refund-partial": ("Only half of my refund came. SECRET-HELD-OUT", "returns"),
    "courier": ("The courier left it in the rain. SECRET-HELD-OUT", "shipping"),
    "password": ("The reset mail never comes. SECRET-HELD-OUT", "account"),
    "invoice-copy": ("Can you send me the invoice again? SECRET-HELD-OUT", "billing"),
}
HELD_OUT = ("refund-partial", "courier", "password", "invoice-copy")
SELECTION = tuple(case for case in CASES if case not in HELD_OUT)
# Runs that passed, of four: before and after.
PASSED = {
    "refund-after-30-days": (0, 4), "wrong-size": (1, 4), "two-charges": (4, 4), "gift-card": (4, 0),
    "login-[/]-lost": (1, 4), "parcel-wet": (4, 4), "late": (4, 4), "vat": (4, 3), "refund-partial": (0, 4),
    "courier": (4, 4), "password": (1, 4), "invoice-copy": (4, 4),
}  # fmt: skip
WRONG = {"gift-card": "returns", "vat": "The queue is billing."}


@dataclass
class Reviewed:
    """The project, and the run's folder with its journal."""

    folder: Path
    options: RunOptions
    records: list[r.AnyRecord]

    def entry(self, *more: r.AnyRecord) -> RunEntry:
        """The run with what came after, on disk and folded."""
        journal = self.folder / "journal.jsonl"
        journal.unlink(missing_ok=True)
        with Journal.open(self.folder, now=FakeClock().now) as opened:
            written = opened.append([*self.records, *more])
        return RunEntry("triage", self.folder, self.options, fold(written), terms=terms(attended=True))


def output(case: str, passed: bool, after: bool) -> str:
    wanted = CASES[case][1]
    if passed:
        return wanted
    return WRONG.get(case, "returns") if after else "billing" if wanted != "billing" else "returns"


def runs(digest: str, side: int, case: str, step: str) -> list[r.AnyRecord]:
    passed = PASSED[case][side]
    return [
        r.CaseRun(
            text_digest=digest, case_id=case, sample=sample, step=step, output=output(case, sample < passed, side == 1),
            score=float(sample < passed), passed=sample < passed,
        )
        for sample in range(4)
    ]  # fmt: skip


def scores(cases: tuple[str, ...], side: int) -> dict[str, tuple[float, ...]]:
    return {case: tuple(float(sample < PASSED[case][side]) for sample in range(4)) for case in cases}


def decided(step: str, decision: str, reason: str, gain: float, **more: float) -> r.Decided:
    numbers: Mapping[str, float] = {"n": 8, "mean_difference": gain, "se": 0.11, "z": gain / 0.11, "p": 0.002, **more}
    return r.Decided(
        number=1, step=step, decision=decision, next_measurement="none", reason=reason, numbers=dict(numbers)
    )


def compared(kind: str, cases: tuple[str, ...]) -> r.Compared:
    return r.Compared(
        number=1, comparison=kind, reference_digest="original", candidate_digest="better", workload="cases",
        reference=scores(cases, 0), candidate=scores(cases, 1),
    )  # fmt: skip


def closed(
    outcome: str = "kept", reason: str = "confirmed on the held-out cases: p = 0.004 within 0.050"
) -> r.AnyRecord:
    return r.ExperimentClosed(
        number=1, outcome=outcome, reason=reason, moved=True, broken=("gift-card",), regressions=("gift-card",),
        fixed=("login-[/]-lost", "password", "refund-after-30-days", "refund-partial", "wrong-size"),
    )  # fmt: skip


def finished() -> list[r.AnyRecord]:
    return [
        r.Committed(number=1, text_digest="better", commit="c0ffee", branch="optimize/triage"),
        closed(),
        r.Stopped(outcome="plateau", reason="enough"),
        r.Finished(outcome="improved", exit_status=0, reason="enough", at=AT),
        r.TickEnded(tick=1, active_s=60, status="finished", reason="enough", at=AT),
    ]


def reviewed(folder: Path) -> Reviewed:
    """The run up to its keep question, which is not answered."""
    root = folder / "repo"
    for place in ("prompts", "evals"):
        (root / place).mkdir(parents=True)
    (root / "prompts" / "triage.md").write_text(PROMPT, encoding="utf-8")
    lines = "".join(
        f"  - {{id: '{case}', input: '{text}', expected: {wanted}, split: {side}}}\n"
        for case, (text, wanted) in CASES.items()
        for side in ["holdout" if case in HELD_OUT else "selection"]
    )
    (root / "evals" / "triage.yaml").write_text(f"name: triage\ncases:\n{lines}", encoding="utf-8")
    (root / "spec.yaml").write_text(SPEC, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    options = RunOptions(root / "spec.yaml", attended=True)
    state = folder / "run"
    state.mkdir()
    return Reviewed(state, options, _records(digests(project_of(options))[1]))


SPEC = """\
name: triage
description: Route a support message to the right queue
target: {files: [prompts/triage.md]}
evalset: {file: evals/triage.yaml}
metric: {primary: {type: hard, name: pass_rate, direction: maximize}}
proposer: {kind: mechanical}
"""


def _records(measurement_digest: str) -> list[r.AnyRecord]:
    path = "prompts/triage.md"
    return [
        r.TickStarted(tick=1, pid=1, host="elsewhere", at=AT),
        r.RunStarted(
            run_id="id", name="triage", ceopt_version="0", repository="here", spec_file="spec.yaml", spec_digest="s",
            approval_digest="digest", measurement_digest=measurement_digest, base_sha="base", branch="optimize/triage",
            texts={path: PROMPT}, text_digest="original", seed=7, at=AT,
        ),
        r.SplitFrozen(selection=SELECTION, holdout=HELD_OUT, seed=7),
        *(record for case in SELECTION for record in runs("original", 0, case, "baseline")),
        r.BaselineMeasured(
            text_digest="original", mean=0.69, scored=32, unscored=0, deterministic=False, sees_half=0.2,
            sees_most=0.3, calls_per_experiment=(4, 30),
        ),
        r.HypothesisAdded(
            id="h1", description="Say which money belongs to returns", category="rule", move="edit", source="fake"
        ),
        r.BacklogClosed(generation=0, added=1, at=AT),
        r.ExperimentStarted(number=1, hypothesis_id="h1", base_digest="original", base_sha="base", branch="exp"),
        r.CandidateMade(number=1, text_digest="better", texts={path: BETTER}),
        *(record for case in SELECTION for record in runs("better", 1, case, "add_sample")),
        compared("standalone", SELECTION),
        decided("add_sample", "promising", "z = 2.44 on the selection cases reaches 1.64", 0.28),
        r.Looked(look=1, number=1, level=0.05, keeps=0),
        *(record for case in HELD_OUT for record in runs("original", 0, case, "reference")),
        *(record for case in HELD_OUT for record in runs("better", 1, case, "holdout")),
        compared("holdout", HELD_OUT),
        decided("holdout", "keep", "confirmed on the held-out cases: p = 0.004 within 0.050", 0.44, n=4, p=0.004),
    ]  # fmt: skip
