"""Figures as people read them: counts with their noun, rates, differences, p-values. Plain text; knows no run."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

SMALLEST_P = 0.001  # what three decimals can show


def rounded(value: float, digits: int = 0) -> str:
    """Rounded to nearest, a half away from zero, as people do it: 92.5 is 93, not the even 92; never "-0"."""
    exact = Decimal(f"{value:.9f}")  # a mean of thirds or tenths carries an error of the last bit
    text = str(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return text.removeprefix("-") if not text.strip("-0.") else text


def counted(count: float, noun: str, many: str = "") -> str:
    """A whole number with its noun: "1 case", "1,200 cases"; `many` is a plural that is not the noun with an s."""
    return f"{count:,.0f} {noun if count == 1 else many or f'{noun}s'}"


def percent(share: float) -> str:
    """A share of 1. What is short of all or more than none is never shown as all or none."""
    shown = rounded(share * 100)
    if shown == "100" and share < 1:
        return ">99%"
    return "<1%" if shown == "0" and share > 0 else f"{shown}%"


def score(value: float, span: float) -> str:
    """A score as people read it: a percentage for pass/fail, two decimals on a scale."""
    return percent(value) if span == 1 else rounded(value, 2)


def change(value: float, span: float) -> str:
    """A difference of scores, signed; percentage points for pass/fail."""
    shown = rounded(value * 100) if span == 1 else rounded(value, 2)
    signed = shown if shown.startswith("-") else f"+{shown}"
    return f"{signed} {'point' if signed in {'+1', '-1'} else 'points'}" if span == 1 else signed


def p_value(p: float, name: str = "p") -> str:
    """A probability with its name; one too small for three decimals is said to be so, never shown as nothing."""
    return f"{name} < {SMALLEST_P}" if p < SMALLEST_P else f"{name} = {rounded(p, 3)}"
