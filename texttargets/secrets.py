"""Finds credentials in recorded texts and replaces them before anything is stored.

A secret is recognised by its shape or, where a name or a header announces one, by its randomness. E-mail addresses,
paths, hashes and ordinary words are none. A finding never carries the value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Any

MARK = "[REDACTED]"


@dataclass(frozen=True)
class _Shape:
    """What one kind of secret looks like; `accept` decides on the group `value`, or on the whole match without one."""

    kind: str
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] = lambda value: True


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with every secret replaced, and the kinds found in the order of the text."""
    findings: list[tuple[int, str]] = []
    for shape in _SHAPES:
        text, found = _replace(shape, text)
        findings += found
    return text, tuple(kind for _, kind in sorted(findings))


def redact_value(value: Any, name: str = "") -> tuple[Any, tuple[str, ...]]:
    """The same for a JSON value; a text stored under a name like `password` is a secret by its name."""
    if isinstance(value, str):
        if _SECRET_NAME.fullmatch(name) and _chosen(value):
            return MARK, (_named(name),)
        return redact(value)
    if isinstance(value, dict):
        redacted = {key: redact_value(item, str(key)) for key, item in value.items()}
        return {key: item for key, (item, _) in redacted.items()}, _kinds(redacted.values())
    if isinstance(value, list | tuple):
        items = [redact_value(item) for item in value]
        return type(value)(item for item, _ in items), _kinds(items)
    return value, ()


def _kinds(redacted: Any) -> tuple[str, ...]:
    return tuple(kind for _, kinds in redacted for kind in kinds)


def _replace(shape: _Shape, text: str) -> tuple[str, list[tuple[int, str]]]:
    pieces, found, done = [], [], 0
    for start, end, kind in _matches(shape, text):
        pieces += [text[done:start], MARK]
        found.append((start, kind))
        done = end
    return "".join(pieces) + text[done:], found


def _matches(shape: _Shape, text: str) -> Iterator[tuple[int, int, str]]:
    for match in shape.pattern.finditer(text):
        group = "value" if "value" in match.re.groupindex else 0
        value = match[group]
        if MARK not in value and shape.accept(value):
            kind = _named(match["name"]) if "name" in match.re.groupindex else shape.kind
            yield match.start(group), match.end(group), kind


def _named(name: str) -> str:
    return "password" if re.search(r"(?i)pass|pwd", name) else "secret"


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


def _chosen(value: str) -> bool:
    """A password somebody set, rather than a place for one, a path, or the code that fetches one."""
    return len(value) >= 4 and MARK not in value and not _PLACE.match(value)


def _in_prose(value: str) -> bool:
    """After `password:` in running text, a word is prose; letters with digits or signs are a password."""
    marks = any(character.isdigit() or character in "!@#$%^&*" for character in value.rstrip(".,!?)"))
    return len(value) >= 6 and marks and any(map(str.isalpha, value)) and _chosen(value)


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
_SECRET_NAME = re.compile(
    rf"(?i)[a-z0-9_-]{{0,40}}?(?:{_NAMES_PASSWORD}|secret|secret[_-]?key|api[_-]?key|access[_-]?key)"
)
_PASSWORD = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_PASSWORD}))"
_SECRET = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_SECRET}))"
_START = r"(?<![A-Za-z0-9_-])"


def _token(kind: str, pattern: str, accept: Callable[[str], bool] = lambda value: True) -> _Shape:
    return _Shape(kind, re.compile(_START + pattern), accept)


_SHAPES = (
    _Shape(
        "private key",
        re.compile(r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{1,60}-----|\Z)"),
    ),
    _token("JWT", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    _token("AWS key", r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
    _token("GitLab token", r"gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20,64}"),
    _token("Slack token", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    _Shape("Slack webhook", re.compile(r"https://hooks\.slack\.com/(?:services|workflows)/(?P<value>[\w/-]{20,255})")),
    _token("Google key", r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,255}|GOCSPX-[A-Za-z0-9_-]{20,64})"),
    _token("Stripe key", r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}"),
    _token("Hugging Face token", r"hf_[A-Za-z0-9]{30,64}"),
    _token("registry token", r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,512}|dckr_pat_[A-Za-z0-9_-]{20,64})"),
    _token("SendGrid key", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _token("Telegram token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _token("API key", r"(?:sk|gsk|xai|r8|tvly|pplx)[-_][A-Za-z0-9_-]{16,255}", _key),
    _Shape(
        "password in an address",
        re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<value>[^\s/@]{1,200})@"),
        _chosen,
    ),
    _Shape("bearer token", re.compile(r"(?i)\bbearer[ \t]+(?P<value>[A-Za-z0-9._~+/-]{16,4096}=*)"), _random),
    _Shape(
        "basic credentials",
        re.compile(r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?basic\s{1,3}(?P<value>[A-Za-z0-9+/]{8,1024}=*)"),
    ),
    _Shape(
        "password",  # password = "…" and {"password": "…"}, also inside JSON that is itself a text
        re.compile(_PASSWORD + r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}\\?([\"'])(?P<value>[^\"'\\\n]{4,200})\\?[\"']"),
        _chosen,
    ),
    _Shape("password", re.compile(_PASSWORD + r"=(?P<value>[^\s\"'\\,;<>&)]{4,200})"), _chosen),
    _Shape("password", re.compile(_PASSWORD + r"\s{0,3}[:=]\s{0,3}(?P<value>[^\s\"'\\,;<>&)]{4,200})"), _in_prose),
    _Shape(
        "secret",
        re.compile(_SECRET + r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}(?:\\?[\"'])?(?P<value>[A-Za-z0-9._~+/-]{12,4096}=*)"),
        _random,
    ),
    _Shape(
        "random token",
        re.compile(r"(?<![A-Za-z0-9_/+.-])(?<!base64,)[A-Za-z0-9_-]{32,128}(?![A-Za-z0-9_/+=-])"),
        _very_random,
    ),
)
