"""What a judge scores by: the rubric's words, its scale, and the names of the fields in its reply.

Knows nothing of models or replies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.judging_ports import Level
from ceopt_tui.errors import InputError, Problem
from judges.cache import canonical_key
from judges.rubric_meanings import meanings
from schemas.judging_records import RubricBound

_MOST_LEVELS = 10  # as many as there are digit keys
_MOST_STEPS = 100

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_RANGE = re.compile(rf"\s*(-?{_NUMBER})\s*(?:-|–|\.\.|to)\s*(-?{_NUMBER})\s*")
_STATED = re.compile(
    rf"\b(?:scor(?:e|es|ing)|scale|rat(?:e|es|ing)|grade)\b[^.\n0-9]{{0,30}}?({_NUMBER})\s*(?:-|–|\.\.|to|and)\s*({_NUMBER})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Scale:
    """All numbers from `low` to `high`, both included; only the two ends where `two_level` is set."""

    low: float
    high: float
    two_level: bool = False

    def holds(self, score: float) -> bool:
        """Whether a judge may give this score. False for NaN and infinities."""
        return score in (self.low, self.high) if self.two_level else self.low <= score <= self.high

    @property
    def has_levels(self) -> bool:
        """Whether its scores are whole levels, told apart by the first token of a score.

        On a scale of less than two steps a judge writes fractions, and a first "0" says nothing of what follows it.
        """
        whole = self.low % 1 == 0 and self.high % 1 == 0
        return whole and self.low >= 0 and 2 <= self.high - self.low <= _MOST_STEPS and not self.two_level

    @property
    def takes_words(self) -> bool:
        """Whether PASS and FAIL are verdicts on this scale."""
        return (self.low, self.high) == (0.0, 1.0)

    @property
    def pass_at(self) -> float:
        """The lowest passing score: one level below the top; scales that do not count few levels are read as five."""
        span = self.high - self.low
        if self.two_level:
            return self.high
        return self.high - 1 if 2 <= span <= 10 and span % 1 == 0 else self.low + 0.75 * span

    def __str__(self) -> str:
        return "pass/fail" if self.two_level else f"{self.low:g}-{self.high:g}"


DEFAULT_SCALE = Scale(1.0, 5.0)
PASS_FAIL = Scale(0.0, 1.0, two_level=True)


@dataclass(frozen=True)
class Rubric:
    """One rubric in force. `primary` is the reply's field that decides, `secondary` fields are only logged."""

    text: str
    scale: Scale = DEFAULT_SCALE
    primary: str = "score"
    secondary: tuple[str, ...] = ()
    passing: float | None = None

    @property
    def pass_at(self) -> float:
        """The lowest score that counts as passed."""
        return self.scale.pass_at if self.passing is None else self.passing


def parse_scale(text: str) -> Scale:
    """Read `1-5`, `0..1`, `0 to 100` or `pass/fail`. Raises ValueError for anything else."""
    if text.strip().lower() in ("pass/fail", "pass-fail"):
        return PASS_FAIL
    match = _RANGE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no scale; write the lowest and the highest score, as in 1-5")
    low, high = float(match[1]), float(match[2])
    if low >= high:
        raise ValueError(f"the scale {text!r} does not rise from its first number to its second")
    return Scale(low, high)


def stated_scale(text: str) -> Scale | None:
    """The scale a rubric names in its own words ("Score 0 to 1"); None where it names none, or several."""
    found = {(float(low), float(high)) for low, high in _STATED.findall(text)}
    rising = {Scale(low, high) for low, high in found if low < high}
    return rising.pop() if len(rising) == 1 else None


def read_rubric_text(path: Path) -> str:
    """The words of a rubric file without surrounding white space. Raises InputError."""
    try:
        text = path.read_bytes().decode("utf-8-sig").strip()
    except OSError as error:
        raise InputError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        byte = f"not UTF-8: byte 0x{error.object[error.start]:02X} at {error.start}"
        raise InputError([Problem(str(path), 0, "", byte)]) from error
    if not text:
        raise InputError([Problem(str(path), 0, "", "the rubric is empty")])
    return text


def levels(rubric: Rubric) -> tuple[Level, ...]:
    """The scores a person can give by one key each, lowest first, with what the rubric says of them.

    Every whole score where ten keys are enough, else evenly spaced ones; a scale of less than two whole steps has five
    levels. A digit is the key of its own score where it can be.
    """
    scale = rubric.scale
    scores = _level_scores(scale)
    found = meanings(rubric.text, scores)
    if scale.two_level:
        keys = ["f", "p"]
    elif all(score in range(10) for score in scores):
        keys = [f"{score:g}" for score in scores]
    else:
        keys = [str(number % 10) for number in range(1, len(scores) + 1)]
    return tuple(Level(score, key, found.get(score, "")) for score, key in zip(scores, keys, strict=True))


def rubric_bound(rubric: Rubric, method: str, singletons: Rubric | None = None) -> RubricBound:
    """The journal's record of a rubric; its digest changes with whatever gives a score another meaning.

    `singletons` is the rubric of what is judged alone, where that has one of its own.
    """
    fields = [rubric.primary, *rubric.secondary]
    meaning = [rubric.text, str(rubric.scale), fields, float(rubric.pass_at), method]
    digest = canonical_key(meaning if singletons is None else [*meaning, singletons.text])
    return RubricBound(
        digest=digest,
        text=rubric.text,
        lowest=rubric.scale.low,
        highest=rubric.scale.high,
        two_level=rubric.scale.two_level,
        pass_at=rubric.pass_at,
        primary=rubric.primary,
        secondary=rubric.secondary,
    )


def _level_scores(scale: Scale) -> tuple[float, ...]:
    span = scale.high - scale.low
    if scale.two_level:
        return scale.low, scale.high
    if span < 2 or scale.low % 1 or span % 1:
        return tuple(scale.low + span * quarter / 4 for quarter in range(5))
    step = next((step for step in range(1, int(span)) if span % step == 0 and span / step < _MOST_LEVELS), int(span))
    return tuple(scale.low + step * number for number in range(int(span) // step + 1))
