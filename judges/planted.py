"""Does a judged text hold what a judge that quotes it could be read by? Pure, and sooner wary than exact."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection

_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ESCAPED_SPACE = re.compile(r"\\+[nrt]")
_PASSED_OVER = frozenset(" >\\")  # a quoted line's mark and an escape change nothing of what a quotation says


def holds_key(judged: str, names: Collection[str]) -> bool:
    """Whether a key of one of these names stands in the text, however it is escaped, quoted or laid out.

    A reply can be a copy only of a text where this is so.
    """
    plain = _plain(judged)
    keys = "|".join(re.escape(_plain(name)) for name in names)
    return re.search(rf"(?:^|[\W_])(?:{keys})[\W_]*?[:=]", plain) is not None


def _plain(text: str) -> str:
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), html.unescape(text))
    text = unicodedata.normalize("NFKC", _ESCAPED_SPACE.sub(" ", text)).casefold()
    return "".join(character for character in text if character.isprintable() and character not in _PASSED_OVER)
