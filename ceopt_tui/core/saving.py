"""What a shorter text saves, in figures and in words. Characters are counted, tokens estimated, prices as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10

from ceopt_tui.core.figures import counted, rounded
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.tokens import estimate_tokens

FIGURES = 3  # of a price, so that a change of a few percent shows
CENTS = 4  # decimals of a price at least


@dataclass(frozen=True)
class Saving:
    """Length of a text before and after, in characters, and about how many tokens a call takes less."""

    before: int
    after: int
    tokens: int

    @property
    def characters(self) -> int:
        """Characters less; negative when the text grew."""
        return self.before - self.after


def saving(state: RunState, before: str, after: str) -> Saving:
    """What the text with the digest `after` saves over the one with the digest `before`."""
    old, new = state.texts[before], state.texts[after]
    return Saving(_characters(old), _characters(new), _tokens(old) - _tokens(new))


def saved(state: RunState) -> Saving:
    """What the best text saves over the original."""
    return saving(state, state.original_digest, state.reference.text_digest)


def only_shortened(state: RunState) -> bool:
    """Was every kept change to make the text shorter, and none to score better?"""
    return bool(state.keeps) and all(state.experiments[keep.number].shortens for keep in state.keeps)


def saving_words(found: Saving) -> str:
    """Characters less, and about how many tokens less a call."""
    less = counted(found.characters, "character")
    return f"{less} shorter ({found.before:,} → {found.after:,}), about {counted(found.tokens, 'token')} less a call"


def price_words(state: RunState) -> str:
    """A call's price with the original and with the final text, both on the report's cases; empty where unknown."""
    sides = [state.spend.reported.get(digest) for digest in (state.original_digest, state.reference.text_digest)]
    known = [side for side in sides if side is not None and side.answered and not side.unpriced and side.usd]
    if len(known) < len(sides):
        return ""
    before, after = (side.usd / side.answered for side in known)
    return f"a call costs {_usd(before)} → {_usd(after)} USD"


def _usd(price: float) -> str:
    return rounded(price, max(CENTS, FIGURES - 1 - floor(log10(price))))


def _characters(texts: Mapping[str, str]) -> int:
    return sum(map(len, texts.values()))


def _tokens(texts: Mapping[str, str]) -> int:
    return sum(map(estimate_tokens, texts.values()))
