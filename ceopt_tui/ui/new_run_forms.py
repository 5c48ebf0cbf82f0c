"""What a person writes into the two forms of a new run, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ceopt_tui.errors import InputError, Problem
from ceopt_tui.ui.screens.form import Field
from judges.providers import with_provider
from texttargets.init_metric import Wishes

_ROLES = {"cheap": "runs the text", "strong": "has the ideas"}
MOST = 1_000_000


def models_fields(wishes: Wishes) -> list[Field]:
    """One line a tier; empty is what the environment says."""
    return [
        Field(tier, f"{tier}: {role}", wishes.models.get(tier, ""), "empty: as the environment says")
        for tier, role in _ROLES.items()
    ]


def models_chosen(values: Mapping[str, str]) -> dict[str, str]:
    """Models by tier. InputError where the provider is not known."""
    chosen = {}
    for tier, text in values.items():
        if text:
            model = with_provider(text)
            if model is None:
                raise _fault(tier, f"{text} does not say its provider: write provider/model")
            chosen[tier] = model
    return chosen


def limits_fields(wishes: Wishes) -> list[Field]:
    """Experiments, hours, and caps; an empty cap is none."""
    return [
        Field("experiments", "experiments", f"{wishes.experiments}"),
        Field("hours", "hours of work", f"{wishes.hours:g}"),
        Field("usd", "US dollars", "" if wishes.usd is None else f"{wishes.usd:g}", "empty: no cap in money"),
        Field(
            "calls", "calls", "" if wishes.calls is None else f"{wishes.calls}", "empty: no cap beside that in money"
        ),
    ]


def limits_chosen(wishes: Wishes, values: Mapping[str, str]) -> Wishes:
    """The wishes with these limits. InputError names the line that cannot be taken."""
    usd, calls = values["usd"], values["calls"]
    return replace(
        wishes,
        experiments=_whole(values, "experiments"),
        hours=_amount(values, "hours"),
        usd=_amount(values, "usd") if usd else None,
        calls=_whole(values, "calls") if calls else None,
    )


def _amount(values: Mapping[str, str], key: str) -> float:
    try:
        amount = float(values[key].replace(",", "."))
    except ValueError:
        raise _fault(key, f"“{values[key]}” is no number") from None
    if not 0 < amount <= MOST:
        raise _fault(key, "is more than 0, and not without end")
    return amount


def _whole(values: Mapping[str, str], key: str) -> int:
    amount = _amount(values, key)
    if amount % 1:
        raise _fault(key, f"“{values[key]}” is no whole number")
    return int(amount)


def _fault(key: str, message: str) -> InputError:
    return InputError([Problem("", 0, key, message)])
