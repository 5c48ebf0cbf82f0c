"""Token counts without a tokenizer: good enough for limits and estimates, never shown as measured."""

import math
import re

_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]")
_NARROW = re.compile(r"[\x00-\x7f]")
_CHARACTERS_PER_TOKEN = 4  # of English and code in byte-pair vocabularies


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: four ASCII characters, two of other alphabets, or one ideograph each."""
    wide = len(_WIDE.findall(text))
    narrow = len(_NARROW.findall(text))
    other = len(text) - wide - narrow
    return math.ceil(narrow / _CHARACTERS_PER_TOKEN + other / 2 + wide)
