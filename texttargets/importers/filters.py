"""Which of the read cases are wanted. What is left aside is named like everything else that was not taken."""

from __future__ import annotations

from dataclasses import dataclass

from texttargets.duplicates import input_text
from texttargets.importers.fields import fold
from texttargets.importers.records import LeftOut
from texttargets.importers.rows import Imported
from texttargets.strict_json import as_text


@dataclass
class Filters:
    """Empty: everything is wanted. `limit` counts what has passed the others, over all files."""

    tags: tuple[str, ...] = ()
    containing: str | None = None
    limit: int | None = None
    _taken: int = 0

    def apply(self, item: Imported) -> Imported | LeftOut:
        """The case, or why it is left aside."""
        reason = self._reason(item)
        if reason:
            return LeftOut(item.line, *reason, filtered=True)
        self._taken += 1
        return item

    def _reason(self, item: Imported) -> tuple[str, str] | None:
        """Why a case is left aside, at length and in short."""
        case = item.case
        if self.tags and not {fold(tag) for tag in case.tags} & {fold(tag) for tag in self.tags}:
            return f"has none of the tags {', '.join(self.tags)}", "left aside by --tag"
        if self.containing is not None:
            texts = (input_text(case), case.observed or "", as_text(case.expected or ""), case.went_wrong or "")
            if not any(self.containing.casefold() in text.casefold() for text in texts):
                return f"does not contain {self.containing!r}", "left aside by --containing"
        if self.limit is not None and self._taken >= self.limit:
            return f"beyond the limit of {self.limit}", "left aside by --limit"
        return None
