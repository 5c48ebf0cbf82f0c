"""A small world of outputs, judges and people in which the truth is known. Quality is on the scale of a 1-5 rubric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ceopt_tui.core.state.judging import Place

Floats = npt.NDArray[np.float64]
Runs = dict[str, list[float]]

ARMS = ("sha256:old", "sha256:new")
CASE_SD, OUTPUT_SD, JUDGE_SD, JUDGE_CASE_SD, PERSON_SD = 0.8, 0.6, 0.5, 0.3, 0.3
QUALITY, LENIENCE = 2.9, 0.2


def rounded(latent: Floats) -> Floats:
    """Scores as a rubric takes them."""
    scores: Floats = np.clip(np.rint(latent), 1, 5)
    return scores


@dataclass(frozen=True)
class Comparison:
    """One candidate against the reference on held-out cases, as the judge and a person who scored it blind see it."""

    reference: Runs
    candidate: Runs
    marks: dict[Place, float | None]

    @property
    def cases(self) -> list[str]:
        """All cases."""
        return list(self.reference)

    @property
    def judged(self) -> Floats:
        """The judge's difference by case, over its runs."""
        return np.array([np.mean(self.candidate[case]) - np.mean(self.reference[case]) for case in self.cases])


@dataclass(frozen=True)
class JudgeWorld:
    """Two texts `effect` apart, with spread `unevenness` over the cases; the judge adds `favour` to the new one."""

    effect: float
    favour: float
    unevenness: float = 0.35

    def compare(self, rng: np.random.Generator, cases: int, labelled: int, runs: int) -> Comparison:
        """`runs` outputs a side of every case; a person scores the first of each side on `labelled` cases."""
        level = rng.normal(QUALITY, CASE_SD, cases)
        taste = LENIENCE + rng.normal(0, JUDGE_CASE_SD, cases)
        change = rng.normal(self.effect, self.unevenness, cases)
        names = [f"c{number:03}" for number in range(cases)]
        seen, marks = [], dict[Place, float | None]()
        for arm, gain, favour in zip(ARMS, (np.zeros(cases), change), (0.0, self.favour), strict=True):
            outputs = (level + gain)[:, None] + rng.normal(0, OUTPUT_SD, (cases, runs))
            scores = rounded(outputs + (taste + favour)[:, None] + rng.normal(0, JUDGE_SD, outputs.shape))
            seen.append({name: [float(score) for score in row] for name, row in zip(names, scores, strict=True)})
            own = rounded(outputs[:, 0] + rng.normal(0, PERSON_SD, cases))
            marks |= {(arm, names[number], 0): float(own[number]) for number in range(labelled)}
        return Comparison(seen[0], seen[1], marks)

    def truth(self, rng: np.random.Generator, draws: int = 400_000) -> float:
        """The mean gain by people over all cases there could be."""
        level = rng.normal(QUALITY, CASE_SD, draws)
        change = rng.normal(self.effect, self.unevenness, draws)
        old, new = (
            rounded(base + rng.normal(0, OUTPUT_SD, draws) + rng.normal(0, PERSON_SD, draws))
            for base in (level, level + change)
        )
        return float((new - old).mean())


RATERS = (
    "second person",
    "good",
    "fair",
    "lenient by 1",
    "compressed",
    "noisy",
    "almost always 4",
    "always 3",
    "random",
)


def raters(kind: str, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Scores of `n` outputs by a person and by a judge of that kind."""
    quality, error = rng.normal(3, 1.1, n), rng.standard_normal(n)
    judge = {
        "second person": quality + 0.35 * error,
        "good": quality + 0.5 * error,
        "fair": quality + 0.8 * error,
        "lenient by 1": quality + 1 + 0.5 * error,
        "compressed": 3.4 + 0.4 * (quality - 3) + 0.35 * error,
        "noisy": quality + 1.5 * error,
        "almost always 4": 4 + 0.4 * error,
        "always 3": np.full(n, 3.0),
        "random": rng.uniform(0.5, 5.5, n),
    }[kind]
    return rounded(quality + rng.normal(0, 0.35, n)), rounded(judge)


def order_of_many(person: Floats, judge: Floats) -> float:
    """Order agreement over all pairs, counted another way than ceopt does it."""
    one, other = np.triu_indices(len(person), 1)
    apart = np.sign(person[one] - person[other])
    same = apart * np.sign(judge[one] - judge[other])
    return float((0.5 + 0.5 * same[apart != 0]).mean())
