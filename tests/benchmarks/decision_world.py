"""A small world to try decision rules in: noisy scores on few cases, edits of which most help nobody.

The truth is known here: the mean score over all cases there could be, without judge noise, in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ceopt_tui.core.statistics import normal_cdf

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

USELESS, HARMFUL, HELPFUL, OVERFITTED = range(4)
MIX = (0.55, 0.20, 0.12, 0.13)


@dataclass(frozen=True)
class Scenario:
    """Latent quality is on the scale of a 1-5 rubric; pass/fail cuts it at 0."""

    label: str
    cases: int
    pass_fail: bool = False
    quality: float = 2.6  # of the first text; recorded failures score low
    case_sd: float = 0.8
    output_sd: float = 0.6  # from run to run
    judge_sd: float = 0.5
    judge_case_sd: float = 0.3  # a judge's fixed taste on a case
    lenience: float = 0.2
    help_from: float = 0.15
    help_to: float = 0.80
    harm_from: float = 0.05
    harm_to: float = 0.40
    memorized_from: float = 0.30
    memorized_to: float = 1.0
    unevenness: float = 0.15
    edits: int = 60
    calls_per_case: int = 50

    @property
    def span(self) -> float:
        """Width of the scale."""
        return 1.0 if self.pass_fail else 4.0

    @property
    def cuts(self) -> tuple[float, ...]:
        """Latent qualities at which the score goes up by one."""
        return (0.0,) if self.pass_fail else (1.5, 2.5, 3.5, 4.5)

    @property
    def matters(self) -> float:
        """Smallest true difference that counts as one."""
        return 0.005 * self.span


def judged(cases: int) -> Scenario:
    """Outputs scored 1 to 5."""
    return Scenario(f"judge {cases}", cases)


def pass_fail(cases: int) -> Scenario:
    """Outputs that pass or fail a check."""
    return Scenario(
        f"pass/fail {cases}",
        cases,
        pass_fail=True,
        quality=-0.6,
        case_sd=1.0,
        output_sd=1.0,
        judge_sd=0.0,
        judge_case_sd=0.0,
        lenience=0.0,
        help_from=0.25,
        help_to=1.2,
        harm_from=0.1,
        harm_to=0.6,
        memorized_from=0.5,
        memorized_to=1.5,
        unevenness=0.2,
    )


@dataclass(frozen=True)
class Text:
    """A text by what it does: latent quality on every case of the set, and on average over all cases."""

    latent: Floats
    shift: float = 0.0
    variance: float = 0.0


class World:
    """One run: cases, a stream of edits, and every call counted. The same seed gives the same cases and edits."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self.rng = np.random.default_rng([seed, 2])
        fixed = np.random.default_rng([seed, 1])
        n, edits = scenario.cases, scenario.edits
        self.taste = fixed.normal(0, 1, n) * scenario.judge_case_sd
        self.original = Text(fixed.normal(scenario.quality, scenario.case_sd, n))
        self.kinds = fixed.choice(4, edits, p=MIX)
        sizes = fixed.random(edits)
        harm = scenario.harm_from + sizes * (scenario.harm_to - scenario.harm_from)
        help_ = scenario.help_from + sizes * (scenario.help_to - scenario.help_from)
        self.effects = np.select(
            [self.kinds == HARMFUL, self.kinds == HELPFUL, self.kinds == OVERFITTED], [-harm, help_, -harm / 2], 0.0
        )
        self.spreads = scenario.unevenness + np.abs(self.effects) / 2
        self.per_case = fixed.normal(0, 1, (edits, n)) * self.spreads[:, None]
        reach = scenario.memorized_to - scenario.memorized_from
        learnt = scenario.memorized_from + fixed.random((edits, n)) * reach
        self.memorized = np.where((self.kinds == OVERFITTED)[:, None] & (fixed.random((edits, n)) < 0.6), learnt, 0.0)
        self.order: Indices = fixed.permutation(n)
        self.proposed = 0
        self.calls = 0

    @property
    def budget(self) -> int:
        """Calls one run may make."""
        return self.scenario.calls_per_case * self.scenario.cases

    @property
    def everything(self) -> Indices:
        """All cases."""
        return np.arange(self.scenario.cases)

    def affords(self, calls: int) -> bool:
        """Is there budget for that many more calls?"""
        return self.calls + calls <= self.budget

    def propose(self, parent: Text, seen: Indices) -> Text | None:
        """The next edit applied to `parent` by an author who saw the cases `seen`; None when ideas run out."""
        if self.proposed >= self.scenario.edits:
            return None
        edit, self.proposed = self.proposed, self.proposed + 1
        known = np.zeros(self.scenario.cases)
        known[seen] = 1
        latent = parent.latent + self.effects[edit] + self.per_case[edit] + self.memorized[edit] * known
        return Text(latent, parent.shift + self.effects[edit], parent.variance + self.spreads[edit] ** 2)

    def score(self, text: Text, cases: Indices, runs: int = 1) -> Floats:
        """Scores by case and run; every one is a call."""
        self.calls += len(cases) * runs
        sd = float(np.hypot(self.scenario.output_sd, self.scenario.judge_sd))
        level = text.latent[cases] + self.taste[cases] + self.scenario.lenience
        outputs = level[:, None] + sd * self.rng.standard_normal((len(cases), runs))
        if self.scenario.pass_fail:
            return (outputs > 0).astype(float)
        scores: Floats = np.clip(np.rint(outputs), 1, 5)
        return scores

    def truth(self, text: Text, *, by_judge: bool = False) -> float:
        """Mean score over all cases there could be; people see no lenience and no taste."""
        s = self.scenario
        variance = s.case_sd**2 + text.variance + s.output_sd**2
        mean = s.quality + text.shift
        if by_judge:
            variance += s.judge_sd**2 + s.judge_case_sd**2
            mean += s.lenience
        above = sum(normal_cdf((mean - cut) / variance**0.5) for cut in s.cuts)
        return above if s.pass_fail else 1 + above

    def gain(self, text: Text, over: Text | None = None, *, by_judge: bool = False) -> float:
        """True gain over another text, the original by default."""
        return self.truth(text, by_judge=by_judge) - self.truth(over or self.original, by_judge=by_judge)
