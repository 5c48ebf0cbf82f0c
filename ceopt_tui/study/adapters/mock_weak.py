"""A stand-in for a weak model: the strong one, but each time it forgets about half of the rules. It sends nothing."""

from __future__ import annotations

import hashlib

from ceopt_tui.study.adapters.mock import MockRunner, Rule

VERSION = 1


class MockWeakRunner(MockRunner):
    """Heeds a rule or not by a digest of seed, rule, input and repeat: the same study gives the same replies."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def heeds(self, rule: Rule, asked: str, sample: int) -> bool:
        """About every second time."""
        told = "\0".join((str(self._seed), rule.sign, rule.answer, asked, str(sample)))
        return hashlib.sha256(told.encode()).digest()[0] % 2 == 0
