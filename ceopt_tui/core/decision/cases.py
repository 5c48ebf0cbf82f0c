"""Cases that passed before and fail now, and the other way round. Always reported, never decisive by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.decision.snapshot import Snapshot


def changed_cases(before: Snapshot, after: Snapshot) -> dict[str, list[str]]:
    """`regressions` and `fixed`, by case id; empty when a side has no cases."""
    old, new = before.data.get("cases"), after.data.get("cases")
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return {}
    known = [(case, _passed(old[case]), _passed(new[case])) for case in sorted(set(old) & set(new))]
    return {
        "regressions": [case for case, passed, passes in known if passed and passes is False],
        "fixed": [case for case, passed, passes in known if passed is False and passes],
    }


def _passed(value: Any) -> bool | None:
    """Whether a case passed; None when it does not say so."""
    if isinstance(value, Mapping):
        value = value.get("passed")
    return value if isinstance(value, bool) else None
