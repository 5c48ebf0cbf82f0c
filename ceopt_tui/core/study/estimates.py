"""What the cells of a study are likely to cost, and at most, before the first call. Sends nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ceopt_tui.core.ports import Price
from ceopt_tui.core.tokens import estimate_tokens

USUAL_REPLY_TOKENS = 256
MORE_ROOM = 4  # a reply that was cut is asked for again with this many times its room
_PER_MILLION = 1_000_000


@dataclass(frozen=True)
class Terms:
    """How a target is paid: its price, None where nobody knows; the most tokens of a reply; requests for a cell.

    `own_tokens` are those that a harness adds to every prompt, such as an agent's own instructions.
    """

    price: Price | None
    reply_tokens: int
    requests: int
    own_tokens: int = 0

    @property
    def is_free(self) -> bool:
        """Does it send nothing?"""
        return self.requests == 0


OFFLINE_TERMS = Terms(Price(0.0, 0.0), 0, 0)


@dataclass(frozen=True)
class CellEstimate:
    """One cell: what is likely, and the most that it may come to. US dollars are None where the price is unknown."""

    tokens_in: int
    tokens_out: int
    usd: float | None
    usd_most: float | None
    requests_most: int
    calls: int = 1


@dataclass(frozen=True)
class TotalEstimate:
    """All cells of something together."""

    cells: int
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None


def estimate_cell(prompt: str, terms: Terms) -> CellEstimate:
    """The estimate of one prompt under the terms of its target."""
    if terms.is_free:
        return CellEstimate(0, 0, 0.0, 0.0, 0, 0)
    tokens_in = estimate_tokens(prompt) + terms.own_tokens
    tokens_out = min(USUAL_REPLY_TOKENS, terms.reply_tokens)
    most = _usd(terms.price, tokens_in, terms.reply_tokens * MORE_ROOM)
    return CellEstimate(
        tokens_in,
        tokens_out,
        _usd(terms.price, tokens_in, tokens_out),
        None if most is None else most * terms.requests,
        terms.requests,
    )


def combined(parts: Sequence[CellEstimate]) -> CellEstimate:
    """Several requests of one cell; money is None as soon as one price is unknown."""
    usual = [part.usd for part in parts if part.usd is not None]
    most = [part.usd_most for part in parts if part.usd_most is not None]
    return CellEstimate(
        sum(part.tokens_in for part in parts),
        sum(part.tokens_out for part in parts),
        sum(usual) if len(usual) == len(parts) else None,
        sum(most) if len(most) == len(parts) else None,
        sum(part.requests_most for part in parts),
        sum(part.calls for part in parts),
    )


def total(cells: Sequence[CellEstimate]) -> TotalEstimate:
    """The sum of estimates; money is None as soon as one price is unknown."""
    money = [cell.usd for cell in cells if cell.usd is not None]
    return TotalEstimate(
        cells=len(cells),
        calls=sum(cell.calls for cell in cells),
        tokens_in=sum(cell.tokens_in for cell in cells),
        tokens_out=sum(cell.tokens_out for cell in cells),
        usd=sum(money) if len(money) == len(cells) else None,
    )


def _usd(price: Price | None, tokens_in: int, tokens_out: int) -> float | None:
    return None if price is None else (tokens_in * price.usd_in + tokens_out * price.usd_out) / _PER_MILLION
