"""Secrets beyond the record that announced them: in other records, and in what is said about a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from schemas.evalset import Case
from schemas.writing import case_document
from texttargets.importers.rows import Imported
from texttargets.secrets import AGAIN, Known, redact, repeats, without_repeats


def blotted(items: Iterable[Imported], known: Known) -> list[Imported]:
    """The cases without the secrets that another record announced."""
    patterns = repeats(known)
    return [_blotted(item, patterns) for item in items] if patterns else list(items)


def _blotted(item: Imported, patterns: list[re.Pattern[str]]) -> Imported:
    said, count = without_repeats(case_document(item.case), patterns)
    if not count:
        return item
    case = Case.model_validate(said)
    return replace(
        item, case=case, named=item.named and case.id == item.case.id, secrets=(*item.secrets, *[AGAIN] * count)
    )


@lru_cache(maxsize=4096)  # a file says the same of many lines
def sayable(text: str) -> str:
    """What may be printed: a reason quotes values of the file."""
    return redact(text)[0]
