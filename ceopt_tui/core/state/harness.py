"""What a run knows of its eval set: cases whose check says nothing of a text, and harder cases that were proposed.

Changed by the fold alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.harness_records import CasesProposed, FlaggedCase, HarnessExamined


@dataclass
class HarnessState:
    """Empty until the baseline's outputs are in; a run that had its baseline before checks were examined stays so."""

    examined: HarnessExamined | None = None
    proposed: CasesProposed | None = None

    @property
    def flagged(self) -> tuple[FlaggedCase, ...]:
        """The cases that count for nothing. None is ever added to them or taken back: the split is frozen."""
        return self.examined.flagged if self.examined else ()

    def counted(self, cases: Iterable[str]) -> tuple[str, ...]:
        """Those of the cases that count."""
        left_out = {case.case_id for case in self.flagged}
        return tuple(case for case in cases if case not in left_out) if left_out else tuple(cases)
