"""What a model costs. An unknown price is None, never 0; nothing here sends a request or loads litellm.

litellm's price table is read as the data file it ships, which takes a fraction of the time of importing it.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ceopt_tui.core.ports import Price, ResolvedModel
from ceopt_tui.errors import SetupError

LOCAL_PREFIX = "local/"
_FREE_PROVIDERS = frozenset({"ollama", "ollama_chat"})  # run on the user's own machine
_TABLE_FILE = "model_prices_and_context_window_backup.json"
_PER_MILLION = 1_000_000


@dataclass(frozen=True)
class ModelLimits:
    """What the table says about a model's size, in tokens; None where it says nothing."""

    output_tokens: int | None = None


def price_of(model: ResolvedModel) -> Price | None:
    """Price of a model: the user's own, else 0 for the embedded model, else the table's; None when unknown."""
    if model.price is not None:
        return model.price
    if model.model.startswith(LOCAL_PREFIX):
        return Price(0.0, 0.0)
    entry = _entry(model.model)
    price = Price(_per_million(entry, "input_cost_per_token"), _per_million(entry, "output_cost_per_token"))
    if price.usd_in or price.usd_out:
        return price
    # A zero in the table is a promise only where no provider sends a bill.
    return price if entry and _provider(model.model) in _FREE_PROVIDERS else None


def require_price(
    model: ResolvedModel, place: str = "the spec", calls_cap: str = "`stopping.max_calls` in the spec"
) -> Price:
    """The price of a model, or SetupError naming the model, where its price is written, and how to cap calls."""
    price = price_of(model)
    if price is None:
        raise SetupError(
            f"the price of {model.model} is unknown, so a cap in US dollars cannot be held",
            f"Give its price in {place} (`models.{model.name}.usd_per_mtok: {{in: …, out: …}}`, US dollars per "
            f"million tokens), or cap the calls instead: {calls_cap}.",
        )
    return price


def limits_of(model: ResolvedModel) -> ModelLimits:
    """Size limits of a model as the table knows them."""
    tokens = _entry(model.model).get("max_output_tokens")
    return ModelLimits(tokens if isinstance(tokens, int) and tokens > 0 else None)


def usd(price: Price | None, input_tokens: int, output_tokens: int) -> float | None:
    """Cost in US dollars of so many tokens; None when the price is unknown."""
    if price is None:
        return None
    return (input_tokens * price.usd_in + output_tokens * price.usd_out) / _PER_MILLION


def _provider(model: str) -> str:
    return model.partition("/")[0] if "/" in model else ""


def _per_million(entry: Mapping[str, Any], key: str) -> float:
    cost = entry.get(key)
    return float(cost) * _PER_MILLION if isinstance(cost, int | float) and cost > 0 else 0.0


def _entry(model: str) -> Mapping[str, Any]:
    """The table lists some models with their provider in front and some without, then with the provider as a field."""
    table = _table()
    if model in table:
        return table[model]
    provider, _, bare = model.partition("/")
    entry = table.get(bare, {})
    return entry if entry.get("litellm_provider") == provider else {}


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        table = json.loads((Path(spec.origin).parent / _TABLE_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}
