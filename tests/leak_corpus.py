"""The leak guard's corpus: rewrites that are good or bad, those it was tuned on and those it was not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import TypeAdapter

from schemas.checks import Check
from schemas.evalset import Case
from texttargets.leak import find_leaks
from texttargets.leak_index import LeakIndex
from texttargets.leak_sources import LeakSources

DATA = Path(__file__).parent / "data" / "texts"
PARTS = {"tuned on": "leaks.yaml", "never tuned on": "leaks_unseen.yaml"}
CHECKS: TypeAdapter[list[Check]] = TypeAdapter(list[Check])
Kind = Literal["good", "bad"]


@dataclass(frozen=True)
class Verdict:
    """What the guard says of one rewrite."""

    scenario: str
    rewrite: str
    refused: bool


def verdicts(part: str, kind: Kind) -> list[Verdict]:
    """The guard's word on every rewrite of one kind."""
    return [verdict for scenario in _scenarios(part) for verdict in _of(scenario, kind)]


def _scenarios(part: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load((DATA / PARTS[part]).read_text(encoding="utf-8"))
    return loaded


def _of(scenario: dict[str, Any], kind: Kind) -> Iterator[Verdict]:
    cases = [Case.model_validate(case) for case in scenario["cases"]]
    checks = CHECKS.validate_python(scenario.get("checks", []))
    index = LeakIndex(LeakSources(cases, rubric=scenario.get("rubric", ""), checks=checks))
    before, public = scenario["before"], scenario.get("public", ())
    for rewrite in scenario[kind]:
        leaks = find_leaks(before, f"{before}{rewrite}\n", index, public)
        yield Verdict(scenario["name"], rewrite, bool(leaks))
