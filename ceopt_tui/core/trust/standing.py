"""Whether a judge is to be trusted by the scores a person gave, said in words anyone can act on.

A judge that was never compared, or whose rubric changed since, is as good as unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.evidence.agreement import Agreement, order_agreement
from ceopt_tui.core.figures import counted, percent, rounded
from ceopt_tui.core.trust.labelling import Label
from ceopt_tui.core.trust.pattern import pattern
from ceopt_tui.core.visible import one_line

TrustKind = Literal["checked", "unclear", "failed", "too_few", "stale", "waived", "unchecked"]

_SHOWN = 200  # characters of an output beside the two reasons
_COMPARED: dict[str, TrustKind] = {"pass": "checked", "fail": "failed", "unclear": "unclear"}


@dataclass(frozen=True)
class TrustRule:
    """What a judge must reach. `waived` is a person's reason for running without their scores, empty for none."""

    minimum: float = 0.8
    two_level: bool = False
    waived: str = ""


@dataclass(frozen=True)
class JudgeTrust:
    """How a judge stands. `disagreements` are the clearest, worst first; `pattern` is empty where none is clear.

    `agreement` is None without any label; `unjudged` outputs were scored by a person alone and count for nothing.
    `beside` are the figures that stand beside the agreement, by name.
    """

    kind: TrustKind
    sentence: str
    agreement: Agreement | None = None
    disagreements: tuple[Label, ...] = ()
    pattern: str = ""
    unjudged: int = 0
    waived: str = ""
    beside: tuple[tuple[str, str], ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it for a person, the verdict first."""
        figures = "; ".join(f"{name}: {value}" for name, value in self.beside)
        return tuple(line for line in (self.sentence, self.pattern, figures) if line)

    @property
    def pairs(self) -> tuple[tuple[str, str, str], ...]:
        """The clearest disagreements side by side: (output, the person's score and reason, the judge's)."""
        return tuple(
            (
                _cut(label.output),
                _said("You", label.person, label.reason),
                _said("Judge", label.judge, label.judge_reason),
            )
            for label in self.disagreements
        )


def judge_trust(
    labels: Sequence[Label], rule: TrustRule, *, outdated: int = 0, flips: tuple[int, int] = (0, 0)
) -> JudgeTrust:
    """The standing of a judge by `labels` of its present rubric and model; `outdated` ones are of others.

    `flips` are the outputs the judge scored differently when it was asked again, and those it was asked about twice.
    """
    both = [(label, label.judge) for label in labels if label.judge is not None]
    unjudged = len(labels) - len(both)
    waived = one_line(rule.waived)
    if not both:
        kind, sentence = _without_labels(unjudged, outdated, waived)
        return JudgeTrust(kind, sentence, unjudged=unjudged, waived=waived)
    person, judge = [label.person for label, _ in both], [score for _, score in both]
    found = order_agreement(person, judge, pass_fail=rule.two_level, minimum=rule.minimum)
    kind = _COMPARED.get(found.verdict, "waived" if waived else "too_few")
    sentences = [_sentence(found, rule.minimum)]
    sentences += [f"{counted(unjudged, 'output')} without a score of the judge left out."] if unjudged else []
    sentences += [f"The check is waived: {waived}"] if waived and kind != "checked" else []
    return JudgeTrust(
        kind=kind,
        sentence=" ".join(sentences),
        agreement=found,
        disagreements=tuple(both[position][0] for position in found.disagreements),
        pattern=pattern(person, judge, [len(label.output) for label, _ in both], two_level=rule.two_level),
        unjudged=unjudged,
        waived=waived,
        beside=_beside(found, flips, two_level=rule.two_level),
    )


def may_run_unattended(trust: JudgeTrust) -> str:
    """Why a run without a person may not start with this judge; empty when it may."""
    if trust.kind == "checked" or trust.waived:
        return ""
    return (
        f"{trust.sentence} A run without a person needs a judge that was found to rank outputs as a person does "
        "(`ceopt calibrate`), or `metric.judge.calibration.waived` with the reason."
    )


def _beside(found: Agreement, flips: tuple[int, int], *, two_level: bool) -> tuple[tuple[str, str], ...]:
    rows = [("rests on", f"{counted(found.scores, 'score')}, {counted(found.pairs, 'pair')} that differ")]
    rows.append(("judge minus you, on average", _signed(found.lenience or 0.0)))
    if found.within_one is not None and not two_level:
        rows.append(("within one point", f"{rounded(found.within_one * found.scores)} of {found.scores}"))
    rows.append(("quadratic kappa", "undefined" if found.kappa is None else rounded(found.kappa, 2)))
    changed, twice = flips
    again = f"{twice - changed} of {twice} scores the same" if twice else "not tried"
    return (*rows, ("the judge asked twice", again))


def _without_labels(unjudged: int, outdated: int, waived: str) -> tuple[TrustKind, str]:
    nobody = "Nobody has compared the judge's scores with their own."
    if waived:
        return "waived", f"{nobody} The check is waived: {waived}"
    if unjudged:
        return "too_few", f"The judge gave no score for the {counted(unjudged, 'output')} a person scored."
    if outdated:
        given = f"The {counted(outdated, 'score')} a person gave" if outdated > 1 else "The score a person gave"
        return "stale", f"{given} came before the rubric or the judge changed, and says nothing about it as it is now."
    return "unchecked", nobody


def _sentence(found: Agreement, minimum: float) -> str:
    if found.order is None and found.scores > 1:
        return f"You gave all {found.scores} outputs the same score, so agreement is undefined, not perfect."
    if found.order is None or found.verdict == "cannot_be_judged":
        return f"The judge {found.reason}."
    ranks = (
        f"Of every 10 pairs of outputs that you scored differently, the judge ranks about {rounded(found.order * 10)} "
        f"as you do ({_share(found.order, minimum)}, {_interval(found)}, {counted(found.scores, 'output')})."
    )
    if found.verdict == "pass":
        return f"{ranks} That reaches the {percent(minimum)} asked for."
    if found.verdict == "unclear":
        return f"{ranks} That is below the {percent(minimum)} asked for, yet not clearly bad: score 10 more."
    return f"{ranks} It does not see what you see: change the rubric or the judge's model."


def _said(who: str, score: float | None, reason: str) -> str:
    given = "no score" if score is None else rounded(score, 2).rstrip("0").rstrip(".")
    return f"{who}: {given}. {one_line(reason) or 'No reason given.'}"


def _cut(output: str) -> str:
    shown = one_line(output) or "(empty)"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _share(order: float, minimum: float) -> str:
    shown = percent(order)
    return f"just under {shown}" if order < minimum and shown == percent(minimum) else shown


def _interval(found: Agreement) -> str:
    if found.low is None or found.high is None or found.low == found.high:
        return "too even for an interval"  # a jackknife without spread is no certainty
    return f"90% interval {percent(found.low)} to {percent(found.high)}"


def _signed(value: float) -> str:
    shown = rounded(value, 2)
    return shown if shown.startswith("-") else f"+{shown}"
