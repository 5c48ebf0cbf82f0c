"""What credentials look like: a table of shapes, and what tells a secret from a word, a path or a place for one.

Knows patterns only; redaction is in secrets.py.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import log2

MARK = "[REDACTED]"


@dataclass(frozen=True)
class Shape:
    """What one kind of secret looks like; `accept` decides on the group `value`, or on the whole match without one.

    A text without any of `marks` (lower case) cannot hold it; that test is cheap, and nearly every text fails it.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] = lambda value: True


def _random(value: str) -> bool:
    """Letters and digits mixed without the pattern of words or paths."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return len(value) >= 12 and mixed and not value.startswith(("/", "~", ".")) and _entropy(value) >= 3.0


def _very_random(value: str) -> bool:
    """A long token nobody announced: upper case, lower case and digits mixed all through."""
    mixed = sum(map(str.isdigit, value)) >= 4 and any(map(str.isupper, value)) and any(map(str.islower, value))
    changes = sum(_class(left) != _class(right) for left, right in pairwise(value))
    return mixed and _entropy(value) >= 4.2 and changes >= len(value) // 3


def _key(value: str) -> bool:
    """What follows `sk-` is a key when one of its parts is no word."""
    return any(
        (len(part) >= 8 and any(map(str.isdigit, part)) and any(map(str.isalpha, part)))
        or (len(part) >= 16 and any(map(str.isupper, part)))
        for part in re.split(r"[-_]", value)
    )


def chosen(value: str) -> bool:
    """A password somebody set, rather than a place for one, a path, or the code that fetches one."""
    return len(value) >= 4 and MARK not in value and not _PLACE.match(value)


def _in_prose(value: str) -> bool:
    """After `password:` in running text, a word is prose; letters with digits or signs are a password."""
    marks = any(character.isdigit() or character in "!@#$%^&*" for character in value.rstrip(".,!?)"))
    return len(value) >= 6 and marks and any(map(str.isalpha, value)) and chosen(value)


def _login(value: str) -> bool:
    """Base64 of `user:password` in plain letters; an ordinary word after "basic" decodes to nothing of the kind."""
    try:
        decoded = b64decode(value, validate=True).decode("ascii")
    except ValueError:
        return False
    user, colon, password = decoded.partition(":")
    return bool(user and colon and password) and decoded.isprintable()


def _session(value: str) -> bool:
    """A session's token among words such as `session=winter-2024-evening`."""
    return len(value) >= 20 and _random(value) and any(len(part) >= 16 and _random(part) for part in _parts(value))


def _cookies(value: str) -> bool:
    return any(map(_random, _parts(value)))


def _parts(value: str) -> list[str]:
    return re.split(r"[^A-Za-z0-9+/]+", value)


def _class(character: str) -> str:
    return "d" if character.isdigit() else "u" if character.isupper() else "l" if character.islower() else "o"


def _entropy(value: str) -> float:
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


_PLACE = re.compile(
    r"(?i)<.*>|\$?\{+.*\}+|%\w+%|\$\w+|\[.*\]|[*x.…_-]+$|[/~]|[a-z]:\\|[\w.]*\(|(?:self|args|os|env|process|config)\."
    r"|.*(?:passw|secret|token)|(?:your|my|the|an|example|dummy|placeholder)(?![a-z0-9])"
    r"|(?:changeme|none|null|true|false|undefined|required|optional|missing|invalid|expired|wrong|reset|string|text|str)$"
)
_NAMES_PASSWORD = r"password|passwd|passphrase|pwd"
_NAMES_SECRET = (
    r"secret|secret[_-]?key|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|token|credentials?"
    r"|session[_-]?(?:id|key)"
)
SECRET_NAME = re.compile(
    rf"(?i)[a-z0-9_-]{{0,40}}?(?:{_NAMES_PASSWORD}|secret|secret[_-]?key|api[_-]?key|access[_-]?key)"
)
_PASSWORD = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_PASSWORD}))"
_SECRET = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_SECRET}))"
_START = r"(?<![A-Za-z0-9_-])"


def _token(kind: str, marks: str, pattern: str, accept: Callable[[str], bool] = lambda value: True) -> Shape:
    return Shape(kind, tuple(marks.split()), re.compile(_START + pattern), accept)


SHAPES = (
    Shape(
        "private key",
        ("-----begin",),
        re.compile(r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{1,60}-----|\Z)"),
    ),
    _token("JWT", "eyj", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    _token(
        "AWS key",
        "akia asia abia acca agpa aida aroa",
        r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    _token(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})",
    ),
    _token("GitLab token", "glpat- glptt- glrt- gldt-", r"gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20,64}"),
    _token("Slack token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    Shape(
        "Slack webhook",
        ("hooks.slack.com",),
        re.compile(r"https://hooks\.slack\.com/(?:services|workflows)/(?P<value>[\w/-]{20,255})"),
    ),
    _token(
        "Google key",
        "aiza ya29. gocspx-",
        r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,255}|GOCSPX-[A-Za-z0-9_-]{20,64})",
    ),
    _token("Stripe key", "_live_ _test_ whsec_", r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}"),
    _token("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,64}"),
    _token(
        "registry token",
        "npm_ pypi- dckr_pat_",
        r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,512}|dckr_pat_[A-Za-z0-9_-]{20,64})",
    ),
    _token("SendGrid key", "sg.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _token("Telegram token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _token(
        "API key",
        "sk- sk_ xai- xai_ r8- r8_ tvly- tvly_ pplx- pplx_",
        r"(?:sk|gsk|xai|r8|tvly|pplx)[-_][A-Za-z0-9_-]{16,255}",
        _key,
    ),
    Shape(
        "password in an address",
        ("://",),
        re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<value>[^\s/@]{1,200})@"),
        chosen,
    ),
    Shape(
        "bearer token", ("bearer",), re.compile(r"(?i)\bbearer[ \t]+(?P<value>[A-Za-z0-9._~+/-]{16,4096}=*)"), _random
    ),
    Shape(
        "basic credentials",
        ("basic",),
        re.compile(r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?basic\s{1,3}(?P<value>[A-Za-z0-9+/]{8,1024}=*)"),
    ),
    Shape(
        "basic credentials",
        ("basic",),
        re.compile(r"(?i)\bbasic[ \t]{1,3}(?P<value>[A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=])"),
        _login,
    ),
    Shape(
        "cookie",
        ("cookie",),  # the whole header: which of its values is the session's, its names do not say
        re.compile(
            r"(?i)\bcookies?\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?"
            r"(?P<value>[\w.-]{1,80}=[^\s;,\"'\\]{1,4096}(?:;\s{0,3}[\w.-]{1,80}(?:=[^\s;,\"'\\]{0,4096})?){0,60})"
        ),
        _cookies,
    ),
    Shape(
        "session token",
        ("sess", "sid"),
        re.compile(
            r"(?i)(?<![a-z0-9])[a-z0-9_.-]{0,20}?(?:session|sess(?:ion)?[_-]?id|sid)\\?[\"']?\s{0,3}[:=]\s{0,3}"
            r"\\?[\"']?(?P<value>[A-Za-z0-9._~%+/-]{20,4096}=*)"
        ),
        _session,
    ),
    Shape(
        "password",
        ("pass", "pwd"),  # password = "…" and {"password": "…"}, also inside JSON that is itself a text
        re.compile(_PASSWORD + r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}\\?([\"'])(?P<value>[^\"'\\\n]{4,200})\\?[\"']"),
        chosen,
    ),
    Shape("password", ("pass", "pwd"), re.compile(_PASSWORD + r"=(?P<value>[^\s\"'\\,;<>&)]{4,200})"), chosen),
    Shape(
        "password",
        ("pass", "pwd"),
        re.compile(_PASSWORD + r"\s{0,3}[:=]\s{0,3}(?P<value>[^\s\"'\\,;<>&)]{4,200})"),
        _in_prose,
    ),
    Shape(
        "secret",
        ("secret", "key", "token", "credential", "session"),
        re.compile(_SECRET + r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}(?:\\?[\"'])?(?P<value>[A-Za-z0-9._~+/-]{12,4096}=*)"),
        _random,
    ),
    Shape(
        "random token",
        ("",),
        re.compile(r"(?<![A-Za-z0-9_/+.-])(?<!base64,)[A-Za-z0-9_-]{32,128}(?![A-Za-z0-9_/+=-])"),
        _very_random,
    ),
)
