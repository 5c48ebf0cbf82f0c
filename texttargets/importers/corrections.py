"""Tells a correction from the next request: what a person says right after an answer that was wrong.

Words alone decide, in a handful of languages and only near the beginning, where people put them. It is a filter that
finds candidates; whoever imports a session reads them.
"""

from __future__ import annotations

import re

_OPENING = 160  # characters in which a correction shows itself
_FIRST_WORDS = re.compile(
    r"(?:(?:hm+|oh|well|sorry|ok(?:ay)?|please|but|aber|mais|pero)[\s,.…]*)*"
    r"(?:no+|nope|nah|wrong|incorrect|not (?:quite|right|correct|what|like|yet)|stop|undo|revert|"
    r"roll back|(?:that|this|it)(?:['’]?s| is) not|"
    r"still (?:no|not|wrong|the same|fail(?:s|ing)?|broken|getting|see)|almost|close,? but|again[,:]|"
    r"nein|falsch|stopp|non|faux|incorrecto|falso|não|errado|sbagliato|nee|fout|нет|неверно|неправильно)(?!\w)"
    r"|^(?:不对|不是|错了|不行|違う|違います|いや|아니|틀렸)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\b(?:(?:that|it|this)(?:['’]?s| is)|you(?:['’]re| are)) (?:still |just |simply )?"
    r"(?:wrong|incorrect|not (?:right|correct|true|what|it|how|working))"
    r"|\b(?:doesn|don|didn|isn|wasn|won|can)['’]?t (?:work|compile|run|match|do what|what i|want|ask|need that)"
    r"|\bi (?:said|asked|told you|meant|wanted|already (?:said|told|asked))\b"
    r"|\byou (?:forgot|missed|ignored|misread|misunderstood|broke|deleted|skipped|left out|did(?:n['’]?t| not))\b"
    r"|\byou should(?: not|n['’]?t)? have\b|\bnot what i\b|\bwhy did you\b"
    r"|\b(?:should|must) (?:be|have been|say|read|return)\b.*\b(?:not|instead)\b"
    r"|\bstimmt (?:so )?nicht\b|\bdas ist (?:falsch|nicht)\b|\bdu hast .*\bvergessen\b"
    r"|\bfunktioniert (?:so |immer noch )?nicht\b"
    r"|\bce n['’]est pas\b|\bne (?:marche|fonctionne) pas\b|\bno (?:es|era|funciona)\b|\bestá mal\b",
    re.IGNORECASE,
)
_FRIENDLY = re.compile(
    r"no,? (?:problem|worries|need|thanks|thank you|rush|changes?|questions?|further|more|that['’]?s (?:all|fine|it))\b"
    r"|nope,? (?:that|all|looks)|not yet,? (?:but|let)|stop here\b",
    re.IGNORECASE,
)  # fmt: skip
_GOING_ON = re.compile(
    r"(?:(?:ok(?:ay)?|yes|sorry|please|pls|now|just|bitte|ja|sí|oui|you can|sorry,? my mistake)[\s,.!…-]*)*"
    r"(?:(?:and |then )?(?:continue|go on|go ahead|carry on|keep going|proceed|resume|pick up)"
    r"|weiter|mach weiter|fahr fort|continúa|sigue|continuez?|继续|続けて)"
    r"(?: (?:please|where you (?:left off|were|stopped)|from there|with (?:it|that|this)|bitte|now|the task|it))*"
    r"[\s.!…]*",
    re.IGNORECASE,
)


def is_going_on(words: str) -> bool:
    """Whether somebody who stopped an answer only asks to go on with it."""
    return _GOING_ON.fullmatch(" ".join(words[: 2 * _OPENING].split())) is not None


def is_correction(words: str) -> bool:
    """Whether what a person says after an answer says that the answer was wrong."""
    opening = " ".join(words[: 4 * _OPENING].split())[:_OPENING]
    if _FRIENDLY.match(opening):
        return False
    return _FIRST_WORDS.match(opening) is not None or _ANYWHERE.search(opening) is not None
