"""Added text that speaks to whoever scores the output, or about being scored."""

import re
from collections.abc import Iterator

from texttargets.leak_address_languages import IN_OTHER_LANGUAGES

_SCORER = r"(?:judge|grader|evaluator|scorer|rater|assessor|examiner|auto-?grader)s?"
_ANSWER = r"(?:answer|output|reply|response|result|work|text)s?"

# `noun` is what makes it talk of scoring; a text that used that word before is about scoring anyway.
_PATTERNS = (
    rf"""(?:dear|hello|hi|note\ to|message\ (?:to|for)|attention)[\s,:]+(?:the\ |all\ )?(?P<noun>{_SCORER})\b""",
    rf"""(?:the|any|your|every)\ (?P<noun>{_SCORER})\ (?:will|would|should|must|may|can|looks?|checks?|expects?|wants?
        |prefers?|gives?|scores?|reads?|accepts?|is|are)\b""",
    rf"""(?P<noun>{_SCORER})[,:]\s+(?:please|give|rate|score|mark|ignore|accept|pass)\b""",
    rf"""(?:you|your\ \w+|(?:the|each|every|this|all)\ {_ANSWER})\ (?:will\ be|are|is|may\ be|gets?|being)
        \ (?:(?:also|being|then|automatically)\ )*(?P<noun>graded|scored|judged|evaluated|assessed|benchmarked)\b""",
    r"""(?:whoever|(?:any|every|some)(?:one|body)\ who|(?:the|a)\ (?:one|person|people|model|program)\ (?:who|that))
        \ (?:will\ )?(?P<noun>grade|score|judge|evaluate|rate|mark)s?\b""",
    r"""(?P<noun>judge|grader|evaluator|scorer|rater)s\ (?:will\ |always\ )?(?:prefer|like|want|look|reward|penali[sz]e
        |check|expect|give|dock|deduct|accept)\b""",
    rf"""{_ANSWER}\ (?:are|is|will\ be|gets?)\ (?:then\ )?compared\ (?:with|to|against)\ (?:an?\ |the\ |your\ )?
        (?P<noun>reference|expected|gold|ground[ -]truth|model\ answer|answer\ key)s?\b""",
    r"""part\ of\ (?:an?|the|this|our|some)\ (?P<noun>benchmark|evaluation|eval)\b(?!\ of)""",
    r"""(?:automatic|automated|string|regex|hidden|grading|scoring)\ (?P<noun>checker|grader|scorer|script)s?\b""",
    r"""to\ (?P<noun>score)\ (?:well|highly?|higher|better|full|top)\b""",
    r"""(?:get|earn|receive|achieve|obtain|deserve|give|award|score|maximi[sz]e|reach|for)s?\ (?:(?:an?|the|it|your)\ )*
        (?:full|maximum|max|highest|higher|top|perfect|best|better|good|passing)[ ]
        (?P<noun>score|mark|point|rating|grade)s?\b""",
    r"""(?:maximi[sz]e|improve|raise|increase)\ (?:the|your|its|our)\ (?P<noun>score|grade|pass[ -]rate|metric)s?\b""",
    r"""(?:pass|passes|passing|satisfy|satisfies|match|matches|fool)\ (?:the|this|every|all|our|their)\ (?:\w+\ ){0,2}
        (?P<noun>check|checker|evaluation|eval|rubric|regex)s?\b""",
    r"""to\ (?:pass|fool|satisfy)\ (?:the|this|every|all|our|their)\ (?:\w+\ ){0,2}(?P<noun>test)(?:s|\ cases?)?\b""",
    r"""(?:the|a|this|scoring|grading|evaluation)\ (?P<noun>rubric)s?\b""",
    r"""(?P<noun>eval|evaluation|benchmark)[- ](?:set|case|item|suite|metric|harness)(?:s|es)?\b""",
    r"""(?P<noun>test)[- ](?:set|item|metric)s?\b""",
    r"""(?:hidden|held[- ]out)\ (?P<noun>test|case|item|set)s?\b""",
    rf"""(?P<noun>rate|score|mark|grade)\ (?:this|it|the\ {_ANSWER})\ (?:(?:an?|as|with|at)\ )?
        (?:\d|full|perfect|pass)""",
    rf"""(?P<noun>give)\ (?:this|it|the\ {_ANSWER})\ (?:an?\ )?
        (?:full|maximum|perfect|passing|\d+\s?(?:/|out\ of)\s?\d)""",
)
_ENGLISH = tuple(re.compile(rf"\b(?:{pattern})", re.IGNORECASE | re.VERBOSE) for pattern in _PATTERNS)


def find_address(before: str, after: str) -> Iterator[tuple[int, int]]:
    """Start and end of the first place of each kind that `before` had not."""
    known = before.casefold()
    for pattern in (*_ENGLISH, *IN_OTHER_LANGUAGES):
        for match in pattern.finditer(after):
            if match["noun"].casefold() not in known and match[0].casefold() not in known:
                yield match.start(), match.end()
                break
