"""English patterns of text that speaks of scoring; `noun` is what makes it so, a blank has a backslash before it."""

_SCORER = r"(?:grader|evaluator|scorer|rater|auto-?grader)s?"
_OFFICE = r"(?:judge|assessor|examiner)s?"  # professions too, which a text may be about
_OWN = r"(?:answer|output|reply|response)s?"
_WORK = r"(?:result|work|text)s?"
_SCORED = r"(?:graded|scored|judged|evaluated|assessed|benchmarked)"
_BE = r"(?:will\ be|are|is|may\ be|gets?|being)\ (?:(?:also|being|then|automatically)\ )*"
_END = r"(?=\s*(?:[.,;:!?)]|$|\s(?:and|or|of|for|that|when|which|with|if|even)\b))"

CERTAIN = (
    rf"""(?:dear|hello|hi|attention)[\s,:]+(?:the\ |all\ )?(?P<noun>{_SCORER}|{_OFFICE})(?=\s*[,:;!.]|\s*$)""",
    rf"""(?:note\ to|message\ (?:to|for))\ (?:the\ |all\ |any\ )?(?:\w+\ )?(?P<noun>{_SCORER}|{_OFFICE})\b""",
    rf"""(?:the|any|your|every|an?)\ (?P<noun>{_SCORER})\ (?:will|would|should|must|may|can|looks?|checks?|expects?
        |wants?|prefers?|gives?|scores?|reads?|accepts?|is|are|compares?)\b""",
    rf"""(?:the|any|your|every|an?)\ (?P<noun>{_OFFICE})\ (?:(?:will|would|should|must|may|can)\ (?:then\ |also\ )?)?
        (?:look|check|expect|want|prefer|give|score|grade|read|accept|compare|reward|penali[sz]e|like|see)s?\b""",
    rf"""(?P<noun>{_SCORER}|{_OFFICE})[,:]\s+(?:please|give|rate|score|mark|ignore|accept|pass)\b""",
    rf"""(?:you|your\ \w+|(?:the|each|every|this|all)\ {_OWN})\ {_BE}(?P<noun>{_SCORED})\b""",
    rf"""(?:the|each|every|this|all)\ {_WORK}\ {_BE}(?P<noun>{_SCORED})(?=\s*[.;!]|\ (?:on|against|by)\b)""",
    rf"""(?:whoever|(?:any|every|some)(?:one|body)\ who|(?:the|a)\ (?:one|person|people|model|program)\ (?:who|that))
        \ (?:will\ )?(?P<noun>grade|score|judge|evaluate|rate|mark)s?\ (?:this|it|you|your|the\ {_OWN})\b""",
    r"""(?P<noun>judge|grader|evaluator|scorer|rater)s\ (?:will\ |always\ )?(?:prefer|like|want|look|reward|penali[sz]e
        |check|expect|give|dock|deduct|accept)\b""",
    rf"""{_OWN}\ (?:are|is|will\ be|gets?)\ (?:then\ )?compared\ (?:with|to|against)\ (?:an?\ |the\ |your\ )?
        (?P<noun>reference|expected|gold|ground[ -]truth|model\ answer|answer\ key)s?\b""",
    r"""part\ of\ (?:an?|the|this|our|some)\ (?P<noun>benchmark|eval)\b""",
    r"""(?:this|it|these|you|all)\ (?:\w+\ )?(?:is|are)\ (?:all\ )?part\ of\ (?:an?|the|our|some)[ ]
        (?P<noun>evaluation)\b(?!\ of)""",
    r"""(?:automatic|automated|string|regex|hidden|grading|scoring)\ (?P<noun>checker|grader|scorer)s?\b""",
    r"""(?:grading|scoring)\ (?P<noun>script)s?\b""",
    r"""to\ (?P<noun>score)\ (?:well|highly?|higher|better|full|top)\b""",
    r"""(?:get|earn|receive|achieve|obtain|deserve|maximi[sz]e)s?\ (?:(?:an?|the|it|your)\ )*
        (?:full|maximum|max|highest|higher|top|perfect|best|better|good|passing)[ ]
        (?P<noun>score|mark|point|rating|grade)s?\b""",
    r"""(?:give|award|reach|for)s?\ (?:(?:an?|the|it|your)\ )*(?:full|perfect|passing)[ ]
        (?P<noun>score|mark|point|grade)s?\b""",
    r"""maximi[sz]e\ (?:the|your|its|our)\ (?P<noun>score|grade|pass[ -]rate|metric)s?\b""",
    r"""(?:improve|raise|increase)\ (?:your|its|our)\ (?P<noun>score|grade|pass[ -]rate|metric)s?\b""",
    r"""(?:improve|raise|increase)\ the\ (?P<noun>pass[ -]rate)s?\b""",
    rf"""(?:pass|passes|passing|satisfy|satisfies|fool)\ (?:the|this|every|all|our|their)\ (?:\w+\ ){{0,2}}
        (?P<noun>checks|checker|eval|evaluation|rubric|regex)\b{_END}""",
    r"""(?:pass|satisfy|satisfies|match|matches|fool)\ (?:the|this|every|all|our|their)\ (?:hidden|expected|secret)[ ]
        (?:\w+\ )?(?P<noun>check|checker|test|regex|pattern|string|keyword)s?\b""",
    r"""to\ (?:pass|satisfy)\ the\ (?P<noun>check)s?(?=\s*[.;!]|\s*$)""",
    r"""fool\ (?:the|this|every|all|our|their)\ (?:\w+\ ){0,2}(?P<noun>test|check|checker|regex)s?\b""",
    r"""(?:scoring|grading|evaluation|hidden)\ (?P<noun>rubric)s?\b""",
    r"""(?:ignore|of|in|per|by|to|for|follow|meet|satisfy|under|with)\ (?:the|this)\ (?P<noun>rubric)s?\b""",
    r"""(?:the|this)\ (?P<noun>rubric)(?:['’]s\b|\ (?:says|wants|asks|rewards|expects|checks|requires|gives|counts))""",
    r"""(?P<noun>eval|evaluation|benchmark)[- ](?:set|case|item|suite|metric|harness)(?:s|es)?\b""",
    r"""(?:the|this|our|hidden|held[- ]out)\ (?P<noun>test)[- ](?:set|item|metric|case)s?\b""",
    r"""(?:held[- ]out\ (?:tests?|cases?|items?|set|answers?)|hidden\ tests?)(?P<noun>)\b""",
    rf"""(?P<noun>rate|score|mark|grade)\ (?:this|the)\ {_OWN}\ (?:(?:an?|as|with|at)\ )?
        (?:\d|full|perfect|pass)""",
    r"""(?P<noun>rate|score|mark|grade)\ (?:this|it)\ (?:(?:an?|as|with|at)\ )?
        (?:\d+\s?(?:/|out\ of)\s?\d|full\b|perfect\b|passing\b)""",
    rf"""(?P<noun>give)\ (?:this|the)\ {_OWN}\ (?:an?\ )?(?:full|maximum|perfect|passing|\d+\s?(?:/|out\ of)\s?\d)""",
    r"""(?P<noun>give)\ (?:this|it)\ (?:an?\ )?(?:full|perfect|passing)\ (?:score|mark|point)s?\b""",
    r"""give\ (?P<noun>\d+\s?(?:/|out\ of)\s?\d+)""",
)
DOUBTFUL = (
    rf"""(?:(?:dear|hello|hi)\ |(?:the|any|your|every)\ )(?P<noun>{_OFFICE}|{_SCORER})\b""",
    rf"""(?:you|your\ \w+|(?:the|each|every|this|all)\ (?:{_OWN}|{_WORK}))\ {_BE}(?P<noun>{_SCORED})\b""",
    r"""(?:whoever|(?:any|every|some)(?:one|body)\ who|(?:the|a)\ (?:one|person|people|model|program)\ (?:who|that))
        \ (?:will\ )?(?P<noun>grade|score|judge|evaluate|rate|mark)s?\b""",
    rf"""(?:{_OWN}|{_WORK})\ (?:are|is|will\ be|gets?)\ (?:then\ )?compared\ (?:with|to|against)
        \ (?:an?\ |the\ |your\ )?(?P<noun>reference|expected|model\ answer)s?\b""",
    r"""part\ of\ (?:an?|the|this|our|some)\ (?P<noun>evaluation)\b(?!\ of)""",
    r"""(?:automatic|automated|hidden)\ (?P<noun>script)s?\b""",
    r"""(?:give|award|reach|for)s?\ (?:(?:an?|the|it|your)\ )*(?:maximum|max|highest|higher|top|best|better|good)[ ]
        (?P<noun>score|mark|point|rating|grade)s?\b""",
    r"""(?:improve|raise|increase)\ the\ (?P<noun>score|grade|metric)s?\b""",
    r"""(?:pass|passes|passing|satisfy|satisfies|match|matches)\ (?:the|this|every|all|our|their)\ (?:\w+\ ){0,2}
        (?P<noun>check|checker|test|regex|pattern)(?:s|\ cases?)?\b""",
    r"""(?:the|a|this)\ (?P<noun>rubric)s?\b""",
    r"""(?P<noun>test)[- ](?:set|item|metric)s?\b""",
    r"""hidden\ (?P<noun>case|item|set)s?\b""",
    rf"""(?P<noun>rate|score|mark|grade)\ (?:this|it|the\ (?:{_OWN}|{_WORK}))\ (?:(?:an?|as|with|at)\ )?
        (?:\d|full|perfect|pass)""",
    rf"""(?P<noun>give)\ (?:this|it|the\ (?:{_OWN}|{_WORK}))\ (?:an?\ )?
        (?:full|maximum|perfect|passing|\d+\s?(?:/|out\ of)\s?\d)""",
)
