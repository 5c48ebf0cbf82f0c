"""The guards' corpus: rewrites that are good, and bad ones with the code they are to be refused with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits

DATA = Path(__file__).parent / "data" / "texts"
PARTS = {"tuned on": "guards.yaml", "never tuned on": "guards_unseen.yaml"}


@dataclass(frozen=True)
class Judged:
    """A rewrite, the code it is to be refused with (empty where it is good), and those it was."""

    scenario: str
    rewrite: str
    wanted: str
    codes: frozenset[str]

    @property
    def is_wrong(self) -> bool:
        """A good one is to be refused by none; a bad one by the guard that is for it."""
        return self.wanted not in self.codes if self.wanted else bool(self.codes)


def judged(part: str) -> list[Judged]:
    """What the guards say of every rewrite of a part."""
    scenarios: list[dict[str, Any]] = yaml.safe_load((DATA / PARTS[part]).read_text(encoding="utf-8"))
    return [one for scenario in scenarios for one in _of(scenario)]


def _of(scenario: Mapping[str, Any]) -> Iterator[Judged]:
    before = scenario["before"]
    limits = Limits(protect=tuple(scenario.get("protect", ())))
    guard = make_guard(sources=LeakSources(), syntax=scenario.get("syntax", "none"), limits=limits)
    wanted = [("", edit) for edit in scenario["good"]]
    wanted += [(code, edit) for code, edits in scenario["bad"].items() for edit in edits]
    for code, edit in wanted:
        refusals = guard({"text": before}, {"text": _rewritten(before, edit)})
        yield Judged(scenario["name"], str(edit), code, frozenset(refusal.code for refusal in refusals))


def _rewritten(before: str, edit: Mapping[str, Any]) -> str:
    if "after" in edit:
        return str(edit["after"])
    if "swap" in edit:
        old, new = edit["swap"]
        if before.count(old) != 1:
            raise ValueError(f"{old!r} does not stand once in the text")
        return before.replace(old, new)
    return edit.get("start", "") + before + edit.get("end", "") * edit.get("times", 1)
