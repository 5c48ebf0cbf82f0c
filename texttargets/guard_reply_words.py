"""Refusals about a reply's own words taken for the text: what a model says before or after what it was asked for.

Only lines that are new count, and only those before the first or after the last line that was there.
"""

import re
from collections.abc import Collection

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.reply_patterns import CLOSING, OPENING

_OPENING_LINES, _CLOSING_LINES = 3, 12  # lines with words that are looked at
_MARKS = " \t*_#>-—–`\r\n"
_NOTE = re.compile(
    r"(?:note|hinweis|remarque|nota|примечание|注|備考)\s*[:：]\s*(?:that\s+)?|note that\s+", re.IGNORECASE
)


def check_reply_words(old: Collection[str], lines: list[str], above: int) -> Refusal | None:
    """Code fence. `old` and `lines` are those of the text before and after; `above` lines stand before them."""
    known = {line.strip() for line in old}
    said = "\n".join(old).casefold()
    filled = [number for number, line in enumerate(lines) if line.strip(_MARKS)]
    kept = [number for number in filled if lines[number].strip() in known]
    first = [number for number in filled if not kept or number < kept[0]][: _OPENING_LINES if kept else 1]
    last = [number for number in filled if not kept or number > kept[-1]][-_CLOSING_LINES:]
    for pattern, zone in ((OPENING, first), (CLOSING, last)):
        for number in zone:
            words = _NOTE.sub("", lines[number].strip(_MARKS), count=1)
            match = pattern.match(words.strip(_MARKS))
            if match and match[0].casefold() not in said:
                line = number + above + 1
                message = f"words about the text stand in the text, line {line}: {excerpt(lines[number].strip())}"
                return Refusal("fence", message, line)
    return None
