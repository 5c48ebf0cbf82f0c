"""Which keys of a spec have a part in how a score comes about or in what it is worth.

A change of any other leaves the logged measurements what they are: the run goes on once it is approved. Reads no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ceopt_tui.support import Key, keys_without_effect
from schemas.spec import Spec

# When to stop, what a call costs and how patiently it is made, who has the ideas and what these may touch or say, who
# checked the judge and what that may cost.
FREE: tuple[Key, ...] = (
    ("name",),
    ("description",),
    ("constraints",),
    ("stopping",),
    ("proposer",),
    ("execution",),
    ("parallel",),
    ("dependencies",),
    ("max_runner_up_merges_per_batch",),
    ("coverage",),
    ("metric", "primary", "target"),
    ("metric", "primary", "baseline"),
    ("metric", "judge", "max_total_cost_usd"),
    ("metric", "judge", "calibration"),
    ("metric", "judge", "exemplars"),
    ("metric", "judge", "minimum_improvement"),
    ("runner", "timeout_s"),
    ("runner", "retries"),
    ("target", "protect"),
    ("target", "max_tokens"),
    ("target", "max_growth"),
    ("target", "front_matter"),
    ("target", "public_phrases"),
)
FREE_OF_MODEL = frozenset({"usd_per_mtok", "concurrency"})
# By what they hold, not by what they are called: whoever takes the digest adds the contents.
HOLDOUT: tuple[Key, ...] = (("measurement", "holdout"), ("metric", "judge", "confirmation_seed"))
BY_CONTENT: tuple[Key, ...] = (
    ("target", "references"),
    ("metric", "judge", "rubric"),
    ("metric", "judge", "singleton_rubric"),
)


def measured_spec(spec: Spec, *, holdout: bool = True) -> dict[str, Any]:
    """The spec without what is free to change; defaults left out, so that writing one down changes nothing.

    Without `holdout`, as if nothing confirmed a keep but the split of the eval set.
    A version that gives an old key another default has to give it another name: runs that are under way count on it.
    """
    unused = keys_without_effect(spec) if spec.is_text_target and spec.runner.kind != "command" else ()
    values: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    of_models = [("models", name, key) for name in spec.models for key in FREE_OF_MODEL]
    left_out = () if holdout else HOLDOUT
    return _without(values, (*FREE, *BY_CONTENT, *of_models, *unused, *left_out))


def _without(section: Mapping[str, Any], keys: Iterable[Key]) -> dict[str, Any]:
    """A copy without these places, and without sections that have nothing else in them."""
    below: dict[str, list[Key]] = {}
    for first, *rest in keys:
        below.setdefault(first, []).append(tuple(rest))
    left: dict[str, Any] = {}
    for name, value in section.items():
        places = below.get(name)
        if places is None:
            left[name] = value
        elif () not in places and isinstance(value, Mapping) and (smaller := _without(value, places)):
            left[name] = smaller
    return left
