"""Added text that speaks to whoever scores the output, or about being scored.

Certain is what no instruction about the work itself would say; it is refused. What a rating, a check or a test that is
part of the work may be called as well is doubtful: a person is shown it.
"""

import re
from collections.abc import Collection, Iterator
from itertools import chain

from texttargets.leak_address_english import CERTAIN, DOUBTFUL
from texttargets.leak_address_languages import IN_OTHER_LANGUAGES
from texttargets.leak_words import split_words

_ENGLISH = tuple(re.compile(rf"\b(?:{pattern})", re.IGNORECASE | re.VERBOSE) for pattern in CERTAIN)
_DOUBTFUL = tuple(re.compile(rf"\b(?:{pattern})", re.IGNORECASE | re.VERBOSE) for pattern in DOUBTFUL)
_SCORED = re.compile(r"(?:grad|scor|judg|evaluat|assess)ed|bewertet|benotet|beurteilt", re.IGNORECASE)
# An output may be evaluated by a parser, as Python, from 1 to 5: that says what it is for, not that it is marked.
_FOR_THE_WORK = re.compile(r"\s+(?:by|as|from|to|in|useful|once|after|nach|als|von)\b", re.IGNORECASE)
_BY_A_SCORER = re.compile(
    r"""\s+by\s+(?:(?:an?|the|another|our|some|several|other)\s+)?(?:[\w-]+\s+)?
    (?:graders?|evaluators?|scorers?|raters?|judges?|assessors?|examiners?|models?|llms?|ai|panel|humans?|people
    |experts?|reviewers?|scripts?|rubric|us|me)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def find_address(before: str, after: str, domain: Collection[str] = ()) -> Iterator[tuple[int, int]]:
    """Start and end of the first certain place of each kind that `before` had not.

    `domain` holds the words of the cases' inputs and answers: where they speak of a judge, so may the text.
    """
    yield from _new(before, after, domain, (*_ENGLISH, *IN_OTHER_LANGUAGES), certain=True)


def find_doubtful_address(before: str, after: str) -> Iterator[tuple[int, int]]:
    """The same for places that may speak of scoring and may as well be about the work."""
    yield from _new(before, after, (), (*_DOUBTFUL, *_ENGLISH, *IN_OTHER_LANGUAGES), certain=False)


def _new(
    before: str, after: str, domain: Collection[str], patterns: tuple[re.Pattern[str], ...], *, certain: bool
) -> Iterator[tuple[int, int]]:
    known = before.casefold()
    added = _added(before, after)
    for pattern in patterns:
        for match in chain.from_iterable(pattern.finditer(after, start, end) for start, end in added):
            noun = match["noun"].casefold()
            if (noun and noun in known) or match[0].casefold() in known:
                continue
            if certain and (_is_of_the_work(after, match) or _names(domain, noun)):
                continue
            yield match.start(), match.end()
            break


def _added(before: str, after: str) -> list[tuple[int, int]]:
    """Stretches of new lines, each with the line before and after it, which may hold part of a sentence."""
    known = set(before.split("\n"))
    stretches: list[tuple[int, int]] = []
    start = last = 0
    for line in after.split("\n"):
        end = start + len(line)
        if line not in known:
            follow = after.find("\n", end + 1)
            reach = len(after) if follow < 0 else follow
            if stretches and last <= stretches[-1][1]:
                stretches[-1] = (stretches[-1][0], reach)
            else:
                stretches.append((last, reach))
        last, start = start, end + 1
    return stretches


def _is_of_the_work(after: str, match: re.Match[str]) -> bool:
    if not _SCORED.fullmatch(match["noun"]) or match.end("noun") != match.end():
        return False
    return bool(_FOR_THE_WORK.match(after, match.end()) and not _BY_A_SCORER.match(after, match.end()))


def _names(domain: Collection[str], noun: str) -> bool:
    words = [word.norm for word in split_words(noun)] if domain else []
    return bool(words) and all(word in domain or word.removesuffix("s") in domain for word in words)
