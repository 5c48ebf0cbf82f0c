"""Words that take a part of a text out of force, whatever stands in it."""

import re
from functools import lru_cache

_CANCEL = (
    r"(?:ignore|disregard|skip|overrides?|overrules?|forget|bypass|supersedes?|replaces?|(?:takes?|has|have)"
    r"\ precedence\ over|(?:do\ not|don['’]t|never|no\ need\ to|need\ not)\ (?:follow|apply|obey|use|heed|observe)"
    r"|ignorier\w*|missacht\w*|überspring\w*|vergiss|ignore[zr]|oublie[zr]?|ignora\w*|omit\w*|olvida\w*|negeer|пропусти\w*"
    r"|игнорируй\w*|忽略|无视|無視)"
)
_VOID = (
    r"(?:(?:is|are)\ (?:now\ |only\ |merely\ )?(?:optional|void|obsolete|outdated|suspended|superseded|ignored"
    r"|not\ binding|no\ longer|a\ suggestion|suggestions|off)|no\ longer|(?:does|do)\ not\ (?:apply|bind|hold|count)"
    r"|(?:may|can|should|must|need\ not)\ be\ (?:ignored|skipped|disregarded|overridden|bypassed|followed\ only"
    r"|dropped)|need\ not\ be\ followed|gilt\ nicht|gelten\ nicht|ist\ optional|ne\ s['’]applique)"
)
_PART = r"(?:section|rules?|part|heading|chapter|block|paragraph|guidelines?|abschnitt|regel|sección|sezione|раздел)"
_NEGATED = re.compile(
    r"(?:\b(?:never|not|no|nor|cannot|nobody|nie|nicht|niemals|jamais|nunca)|n['’]t)\b[^.;:!?]{0,25}$", re.IGNORECASE
)
_SAID = re.compile(r"[\"“”„«'‘`]\s*$")
_NEIGHBOURS = re.compile(
    r"\b(?:ignore|disregard|skip|forget|override|bypass|do not follow|don['’]t follow)\s+(?:all\s+|any\s+|every\s+)?"
    r"(?:of\s+)?(?:the\s+|these\s+)?(?:(?:next|following|previous|preceding|last|first|other|remaining|earlier|above)\s+"
    r"(?:\w+\s+)?(?:rule|guideline|bullet)s?\b|(?:rule|guideline|bullet|section)s?\s+(?:above|below|before|after)\b)",
    re.IGNORECASE,
)
_EMPTY_TITLE = re.compile(
    r"\b(?:obsolete|deprecated|outdated|superseded|retired|archived?|inactive|disabled|unused|void|optional|ignored?"
    r"|no longer|not in (?:force|use)|do not (?:use|follow)|former|old|previous|historic(?:al)?|drafts?|veraltet\w*"
    r"|ungültig\w*|obsolète|obsolet\w*|устар\w+)\b|废弃|過去|旧",
    re.IGNORECASE,
)


def empties(title: str) -> bool:
    """Whether a heading says that what stands below it does not count."""
    return _EMPTY_TITLE.search(title) is not None


def lifts_neighbours(line: str) -> bool:
    """Whether a line says that the rules around it do not count."""
    return any(_is_meant(line, match) for match in _NEIGHBOURS.finditer(line))


def cancels(line: str, name: str) -> bool:
    """Whether a line says that the part of a text with this name does not count; telling that it does is none."""
    if " ".join(name.rstrip(":").split()).casefold() not in " ".join(line.split()).casefold():
        return False
    lifting, voiding = _patterns(name)
    return any(_is_meant(line, match) for pattern in (lifting, voiding) for match in pattern.finditer(line))


def _is_meant(line: str, match: re.Match[str]) -> bool:
    above = line[: match.start()]
    return _NEGATED.search(above) is None and _SAID.search(above) is None


@lru_cache(maxsize=256)
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A name of one word is meant where it is written as in its heading, quoted, or called a section."""
    words = r"\s+".join(map(re.escape, name.rstrip(":").split()))
    many = len(name.split()) > 1
    quote = r"[\"“”„«»'‘’`*#_ ]"
    called = rf"(?:{quote}*(?i:{words}){quote}*\s*(?i:{_PART})|(?i:{_PART})\s+(?:on\s+|of\s+)?{quote}*(?i:{words})\b)"
    plain = rf"{quote}*(?i:{words})\b" if many else rf"(?:[\"“„«'`*#]+(?i:{words})\b|{words}\b)"
    named = rf"(?:{called}|{plain})"
    spaced_cancel, spaced_void = _CANCEL.replace(r"\ ", r"\s+"), _VOID.replace(r"\ ", r"\s+")
    lifting = re.compile(
        rf"(?i:\b{spaced_cancel})\s*(?:(?i:all|of|the|our|this|whole|entire|den|die|la|el|le)\s+)*{named}"
    )
    voiding = re.compile(rf"{named}[\"”»'`*]*\s+(?:(?i:{_PART}|above|below)\s+)*(?i:{spaced_void})\b")
    return lifting, voiding
