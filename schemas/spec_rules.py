"""All rules between the keys of a spec. Each gives the key it speaks of and one sentence; none reads a file."""

from __future__ import annotations

from schemas.spec import Spec
from schemas.spec_metric_rules import METRIC_RULES
from schemas.spec_rule import Broken
from schemas.spec_run_rules import RUN_RULES


def broken_rules(spec: Spec, *, partial: bool = False) -> list[Broken]:
    """Every rule that does not hold. `partial`: the spec has invalid parts, and rules that need them are left out."""
    found: list[Broken] = []
    for rule in (*METRIC_RULES, *RUN_RULES):
        try:
            found.extend(list(rule(spec)))
        except AttributeError:
            if not partial:
                raise
    return found


def unattended_rules(spec: Spec) -> list[Broken]:
    """What keeps a run without a person from starting, as far as the spec can say."""
    judge = spec.metric.judge
    if not spec.is_judged or judge is None:
        return []
    found = []
    if judge.max_total_cost_usd is None and spec.stopping.max_total_cost_usd is None:
        what = "a judged run without a person needs a cost cap: set this or stopping.max_total_cost_usd"
        found.append(Broken(("metric", "judge", "max_total_cost_usd"), what))
    if judge.calibration.labels is None and judge.calibration.waived is None:
        what = "a judged run without a person needs labels (`ceopt calibrate`), or `waived` with the reason"
        found.append(Broken(("metric", "judge", "calibration"), what))
    return found
