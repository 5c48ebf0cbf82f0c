"""Brings a case of an eval set up to date with its record, field by field, and never at the cost of a person's work.

What a record said is kept in the case as digests (`as_imported`). A field whose record still says the same stays as a
person has set it; where both have changed the person's value stays and the conflict is named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schemas.evalset import Case
from schemas.writing import case_document

FIELDS = ("input", "expected", "observed", "went_wrong", "tags", "check", "kind", "split", "source")
Prefer = Literal["ask", "mine", "source"]
_DIGITS = 8


@dataclass(frozen=True)
class Updated:
    """A case as it is after an import; `kept` are a person's edits, `conflicts` what both sides have changed."""

    case: Case
    taken: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def as_recorded(case: Case) -> Case:
    """A new case with the digests of what its record says."""
    said = case_document(case)
    return case.model_copy(update={"as_imported": _written({name: _digest(said.get(name)) for name in FIELDS})})


def same_record(old: Case, new: Case) -> bool:
    """Whether a record with the case's id is the one it was made from, rather than another that shares the id."""
    asked = (_read(old.as_imported) or {}).get("input")
    return old.input == new.input or (old.source is not None and old.source == new.source) or asked == asks(new)


def asks(case: Case) -> str:
    """The digest of the input as its record has it, whatever a person made of it since."""
    return (_read(case.as_imported) or {}).get("input") or _digest(case_document(case)["input"])


def brought_up_to_date(old: Case, new: Case, *, prefer: Prefer = "ask") -> Updated:
    """`prefer` settles what both sides have changed; asked, the person's value stays and is named every time."""
    said, mine, before = case_document(new), case_document(old), _read(old.as_imported)
    seen = dict(before or {})
    found: dict[str, list[str]] = {"taken": [], "kept": [], "conflict": []}
    for name in FIELDS:
        if name not in said and name != "kind":  # a record that says nothing changes nothing
            continue
        theirs, own = _digest(said.get(name)), _digest(mine.get(name))
        what = "same" if theirs == own else _sided(name, theirs, own, before)
        if what == "conflict" and prefer == "source":
            what = "taken"
        if what in found:
            found[what].append(name)
        if what != "conflict" or prefer == "mine":
            seen[name] = theirs
    settled = prefer == "mine" and bool(found["conflict"])
    values: dict[str, Any] = {name: getattr(new, name) for name in found["taken"]}
    if before is not None or found["taken"] or settled:  # a case that nothing happened to keeps its bytes
        values["as_imported"] = _written(seen)
    conflicts = () if settled else tuple(found["conflict"])
    kept = (*found["kept"], *(found["conflict"] if settled else ()))
    return Updated(old.model_copy(update=values), tuple(found["taken"]), kept, conflicts)


def _sided(name: str, theirs: str, own: str, before: Mapping[str, str] | None) -> str:
    """Who changed a field that stands differently on the two sides."""
    if before is None:  # never imported with digests: whose value is the newer one nobody knows
        return "taken" if not own or name == "source" else "conflict"
    then = before.get(name, "")
    if theirs == then:
        return "kept"
    return "taken" if own == then else "conflict"


def _digest(value: Any) -> str:
    """Nothing for a field that says nothing."""
    if value is None:
        return ""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _written(seen: Mapping[str, str]) -> str:
    return " ".join(f"{name}={seen[name]}" for name in FIELDS if seen.get(name))


def _read(text: str | None) -> dict[str, str] | None:
    """Digests by field; None where there are none, or what is there was written by nobody who knows them."""
    pairs = [part.partition("=") for part in (text or "").split()]
    if not pairs or any(name not in FIELDS or not digest for name, _, digest in pairs):
        return None
    return {name: digest for name, _, digest in pairs}
