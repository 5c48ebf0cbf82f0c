"""Words in which judges speak of the same fault, so that two remarks without a word in common can be of one kind.

Faults of any written answer, in English; nothing here is of one task. Remarks in other languages are grouped by their
own words alone. Set by the tuned half of the labelled remarks (tests/data/themes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMED_LANGUAGE = (
    "(?:english|german|french|spanish|italian|portuguese|dutch|swedish|polish|turkish|russian|chinese|japanese|korean"
    "|arabic)"
)

_SIGNS: Mapping[str, str] = {
    "length": r"""(?:too|overly)\ (?:long|much\ text|many\ (?:words|sentences|paragraphs))|long-winded|short(?:er|en)
        |\bbrief|concis|verbos|wordy|wordiness|lengthy|\btrim|\bcut\b|condens|succinct|rambl|bloat|at\ length
        |get\ to\ the\ point""",
    "made-up content": r"""invent(?!or)|hallucinat|fabricat|made[- ]up|mak(?:es|ing)\ up|unsupported|ungrounded
        |unfounded|\bclaim|(?:not|nowhere)\ (?:appear|anywhere|in\ the|supported|stated|contain|mention)|no\ source
        |(?:no|none\ of\ the)\ \w+\ (?:mention|contain|say|state)|without\ (?:any\ )?(?:source|evidence|basis)""",
    "hype": r"""advert|marketing|\bhype|promotion|\bsales(?:y|\ pitch)|superlativ|excit|enthusias|exclamation|neutral
        |exaggerat|overstat""",
    "sympathy": r"""apolog|\bsorry|empath|sympath|frustrat|\bupset|annoy|\bangry|regret|acknowledg|understanding
        |feelings|\bcold\b|indifferen|compassion""",
    "manners": r"""\brude|polite|\bcurt\b|harsh|friendl|\b(?:in)?formal|casual|respectful|condescend|professional
        |blam(?:e|ing)""",
    "form": r"""heading|\bsection|bullet|(?:flat|numbered|one|single|long)\ list|structur|layout|markdown|\btable
        |\bjson\b|(?:right|wrong|required|requested|expected|output|the|this)\ format\b|group(?:ed|ing)\b""",
    "language": rf"(?:in|to)\ {_NAMED_LANGUAGE}\b|\blanguage\ of|'s\ language|translat",
    "plain words": r"""jargon|technical|internal\ (?:\w+\ )?names?|plain\ (?:words|language|english)|developers
        |terminolog|lay(?:person|man)|\busers?\ notice|for\ the\ user\b|acronym|simpler\ words""",
    "wrong facts": r"\bwrong|incorrect|inaccura|contradict|\bfalse|mistaken|misstat|correct(?:ly)?\b|errone|outdated",
    "next steps": r"""next\ step|(?:what|who)\ (?:happens|will\ happen|to\ do|does)|should\ do\ next|call\ to\ action
        |clear\ action|follow[- ]up|\bproceed""",
    "what is known already": r"""\balready\b|(?:ask|request|repeat)\w*\b.*\bagain|\brepeat|asks\ (?:for|which|the)
        |twice|redundan""",
    "vagueness": r"vague|unspecific|more\ specific|concrete|ambiguous|generic|unclear|confus",
    "relevance": r"irrelevant|off[- ]topic|unrelated|beside\ the\ point|not\ answer\ the|different\ question",
    "spelling": r"\bspell(?:ing|ed)|misspel|\btypos?\b|grammar|punctuation",
    "privacy": r"privacy|personal\ data|confidential|sensitive|private",
    "reasons": r"\bcit(?:e|ation)|reasoning|justif|evidence|explain\ why|reasons?\ (?:for|why)",
}
_PATTERNS = {name: re.compile(signs, re.VERBOSE) for name, signs in _SIGNS.items()}


def faults_in(remark: str) -> frozenset[str]:
    """The kinds of fault a remark speaks of, by their names for people."""
    folded = remark.casefold()
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(folded))
