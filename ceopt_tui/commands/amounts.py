"""Amounts on the command line: a limit that is not a number would limit nothing."""

from __future__ import annotations

import math
from typing import Any

import click


class Amount(click.FloatRange):
    """A number from `least` on; neither `nan` nor `inf`."""

    def __init__(self, least: float = 0) -> None:
        super().__init__(min=least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        amount = float(super().convert(value, param, ctx))
        if not math.isfinite(amount):
            self.fail(f"{value!r} is no amount; leave the option out for no limit.", param, ctx)
        return amount
