"""Several answers of which any is right, as data sets have them: one expected text and a check that takes all."""

from __future__ import annotations

import re
from typing import Any

from texttargets.strict_json import as_text


def one_of(answers: Any) -> tuple[Any, dict[str, Any] | None]:
    """The expected answer, and the check where there are several; a list of one is that one."""
    if not isinstance(answers, list) or not all(isinstance(answer, str | int | float) for answer in answers):
        return answers, None
    texts = list(dict.fromkeys(as_text(answer) for answer in answers))
    if len(texts) < 2:
        return (texts[0] if texts else None), None
    return texts[0], {"type": "regex", "pattern": rf"\s*(?:{'|'.join(map(re.escape, texts))})\s*", "full": True}
