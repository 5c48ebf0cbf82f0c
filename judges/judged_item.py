"""One output to be scored, with what it answered."""

import json
import unicodedata
from dataclasses import dataclass

from schemas.evalset import CaseInput, Expected

# Letters and marks that take room or none, but show nothing.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


@dataclass(frozen=True)
class JudgedItem:
    """`expected` is None where nothing was expected; an empty text expects an empty output."""

    id: str
    input: CaseInput
    output: str
    expected: Expected | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the output shows nothing although something was wanted."""
        return not shows_anything(self.output) and not (
            isinstance(self.expected, str) and not shows_anything(self.expected)
        )


def shows_anything(text: str) -> bool:
    """Whether a reader would see any of this text."""
    return any(_is_visible(character) for character in text)


def as_text(value: CaseInput | Expected) -> str:
    """A text as it is, anything else as readable JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _is_visible(character: str) -> bool:
    if character in _BLANK_LETTERS or 0xFE00 <= ord(character) <= 0xFE0F or 0xE0100 <= ord(character) <= 0xE01EF:
        return False
    return unicodedata.category(character)[0] not in "ZC"
