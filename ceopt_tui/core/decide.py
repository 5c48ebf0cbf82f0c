"""`decide(payload)`: keep, revert or measure on. The one entrance to every rule by which ceopt decides.

Pure and total: the same payload gives the same verdict for ever, and a payload that cannot be decided is a verdict
too, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ceopt_tui.core.decision.cases import changed_cases
from ceopt_tui.core.decision.evidential import decide_by_evidence
from ceopt_tui.core.decision.holdout import confirm_on_holdout, failed_output
from ceopt_tui.core.decision.reading import Undecidable, section
from ceopt_tui.core.decision.rules import read_rules
from ceopt_tui.core.decision.snapshot import read_snapshot
from ceopt_tui.core.decision.thresholds import decide_by_thresholds
from ceopt_tui.core.decision.verdict import Verdict


def decide(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on a payload of spec, reference and candidate snapshot, and the held-out pair once there is one."""
    try:
        verdict = _verdict(payload)
    except Undecidable as error:
        verdict = Verdict("error", str(error))
    return verdict.as_json()


def decide_json(text: str) -> str:
    """`decide` from JSON text to one line of JSON text."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        return json.dumps(Verdict("error", f"the payload is not JSON: {error}").as_json())
    return json.dumps(decide(payload), allow_nan=False)


def _verdict(payload: Mapping[str, Any]) -> Verdict:
    if not isinstance(payload, Mapping):
        raise Undecidable("the payload is not a JSON object")
    if payload.get("spec") is None:
        raise Undecidable("the payload has no spec")
    rules = read_rules(section(payload, "spec"))
    baseline, candidate = read_snapshot(payload, "baseline"), read_snapshot(payload, "candidate")
    cases = changed_cases(baseline, candidate)
    if failed := failed_output(rules, candidate):
        return replace(failed, extra=cases)
    if rules.method == "evidence":
        verdict = decide_by_evidence(rules, payload, baseline, candidate)
    else:
        verdict = confirm_on_holdout(decide_by_thresholds(rules, baseline, candidate), rules, payload)
    return replace(verdict, extra={**cases, **verdict.extra})
