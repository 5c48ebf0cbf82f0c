"""Per-case runs and pooled noise of a payload, read for the evidence rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from ceopt_tui.core.decision.reading import Undecidable, amount, as_number, choice, entries, section
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.decision.snapshot import Snapshot
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import Caution, Setting

_SCALE = re.compile(r"\s*(-?\d{1,6})\s*-\s*(-?\d{1,6})\s*", re.ASCII)
_LARGEST = 1e9  # no sum of squares or count of a real run comes near


@dataclass(frozen=True)
class Scale:
    """The scores a case can get."""

    lowest: float
    highest: float
    pass_at: float

    @property
    def span(self) -> float:
        """Width of the scale."""
        return self.highest - self.lowest


_PASS_FAIL = Scale(0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Ground:
    """What the evidence rules stand on besides the runs themselves. `look` counts the one under way.

    `noise` is None where the payload carries no pool: then the runs it carries are all that is known. Once `looking`,
    the selection verdict stands: what the look adds to the pool does not take it back.
    """

    scale: Scale
    setting: Setting
    noise: Noise | None
    look: int
    keeps: int
    total_cases: int | None
    looking: bool = False


def read_ground(rules: Rules, payload: Mapping[str, Any]) -> Ground:
    """Scale, setting and pools of a payload."""
    spec, evidence = section(payload, "spec"), section(payload, "evidence")
    scale = _scale(rules, section(section(spec, "metric"), "judge"))
    looks = len(entries(evidence, "holdout_looks", "evidence."))
    total = evidence.get("total_cases")
    return Ground(
        scale=scale,
        setting=Setting(
            span=scale.span,
            maximize=rules.primary.maximize,
            caution=cast(Caution, choice(spec, "caution", ("low", "normal", "high"), "normal", "spec.")),
            deterministic=evidence.get("deterministic") is True,
            groups=_groups(evidence),
            max_lost=amount(spec, "max_unscored", 0.2, "spec."),
        ),
        noise=_noise(evidence) if evidence.get("sigma") is not None else None,
        look=max(1, int(amount(evidence, "looks", looks, "evidence.", _LARGEST))),
        keeps=int(amount(evidence, "keeps", 0, "evidence.", _LARGEST)),
        total_cases=None if total is None else int(amount(evidence, "total_cases", 0, "evidence.", _LARGEST)),
        looking=evidence.get("looking") is True,
    )


def read_runs(snapshot: Snapshot, scale: Scale) -> Runs:
    """Scores of every run by case; a run without a score is left out, one off the scale cannot be decided on."""
    if snapshot.data.get("runs") is None:
        raise Undecidable(f"{snapshot.path} has no runs; the evidence method needs a score for every case")
    runs = section(snapshot.data, "runs", f"{snapshot.path}.")
    return {str(case): _scores(scores, scale, f"{snapshot.path}.runs.{case}") for case, scores in runs.items()}


def read_passes(snapshot: Snapshot) -> Runs | None:
    """Whether each run of a case passed, as 1 and 0, where the snapshot says more of it than the scores do."""
    if snapshot.data.get("passes") is None:
        return None
    passes = section(snapshot.data, "passes", f"{snapshot.path}.")
    return {str(case): _scores(told, _PASS_FAIL, f"{snapshot.path}.passes.{case}") for case, told in passes.items()}


def _scores(scores: object, scale: Scale, path: str) -> tuple[float, ...]:
    if not isinstance(scores, list | tuple):
        raise Undecidable(f"{path} is not a list of scores")
    numbers = [float(score) if isinstance(score, bool) else as_number(score) for score in scores]
    known = tuple(number for number in numbers if number is not None)
    if any(not scale.lowest <= number <= scale.highest for number in known):
        raise Undecidable(f"{path} holds a score off the scale {scale.lowest:g} to {scale.highest:g}")
    return known


def _scale(rules: Rules, judge: Mapping[str, Any]) -> Scale:
    if not rules.primary.judged:
        return _PASS_FAIL if rules.primary.maximize else replace(_PASS_FAIL, pass_at=0.0)
    stated = judge.get("scale") or "1-5"
    match = _SCALE.fullmatch(stated) if isinstance(stated, str) else None
    if match is None or int(match[1]) >= int(match[2]):
        raise Undecidable("metric.judge.scale must be lowest and highest score, such as 1-5")
    lowest, highest = float(match[1]), float(match[2])
    # One level below the top passes, but on a two-level scale only the top does.
    usual = highest - 1 if highest - lowest > 1 else highest
    return Scale(lowest, highest, amount(judge, "pass_at", usual, "metric.judge.") if "pass_at" in judge else usual)


def _groups(evidence: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    groups = entries(evidence, "groups", "evidence.")
    if not all(isinstance(group, list | tuple) for group in groups):
        raise Undecidable("evidence.groups is not a list of lists of cases")
    return tuple(tuple(str(case) for case in group) for group in groups)


def _noise(evidence: Mapping[str, Any]) -> Noise:
    sigma, tau = section(evidence, "sigma", "evidence."), section(evidence, "tau", "evidence.")
    return Noise(
        sigma_ss=amount(sigma, "ss", 0, "evidence.sigma.", _LARGEST),
        sigma_df=int(amount(sigma, "df", 0, "evidence.sigma.", _LARGEST)),
        tau_ss=amount(tau, "ss", 0, "evidence.tau.", _LARGEST),
        tau_df=int(amount(tau, "df", 0, "evidence.tau.", _LARGEST)),
        tau_c=amount(tau, "c", 0, "evidence.tau.", _LARGEST),
    )
