"""What tells a secret from a word, a path, a hash or a place for one; the tables of shapes are beside this module."""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import log2

MARK = "[REDACTED]"
_PEM_HEAD = 64  # characters, a whole number of bytes


@dataclass(frozen=True)
class Shape:
    """What one kind of secret looks like; `accept` decides on the group `value`, or on the whole match without one.

    A text without any of `marks` (lower case) cannot hold it; that test is cheap, and nearly every text fails it.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] = lambda value: True


def is_random(value: str) -> bool:
    """Letters and digits mixed without the pattern of words or paths."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return len(value) >= 12 and mixed and not value.startswith(("/", "~", ".")) and _entropy(value) >= 3.0


def is_very_random(value: str) -> bool:
    """A long token nobody announced: upper case, lower case and digits mixed all through."""
    mixed = sum(map(str.isdigit, value)) >= 4 and any(map(str.isupper, value)) and any(map(str.islower, value))
    changes = sum(_class(left) != _class(right) for left, right in pairwise(value))
    return mixed and _entropy(value) >= 4.2 and changes >= len(value) // 3


def is_key(value: str) -> bool:
    """What follows `sk-` is a key when one of its parts is no word."""
    return any(
        (len(part) >= 8 and any(map(str.isdigit, part)) and any(map(str.isalpha, part)))
        or (len(part) >= 16 and any(map(str.isupper, part)))
        for part in re.split(r"[-_]", value)
    )


def chosen(value: str) -> bool:
    """A password somebody set, rather than a place for one, a path, or the code that fetches one."""
    return len(value) >= 4 and MARK not in value and not _PLACE.match(value)


def is_password_in_prose(value: str) -> bool:
    """After `password:` in running text, a word is prose; letters with digits or signs are a password."""
    marks = any(character.isdigit() or character in "!@#$%^&*" for character in value.rstrip(".,!?)"))
    return len(value) >= 6 and marks and any(map(str.isalpha, value)) and chosen(value)


def is_login(value: str) -> bool:
    """Base64 of `user:password` in plain letters; an ordinary word after "basic" decodes to nothing of the kind."""
    try:
        decoded = b64decode(value, validate=True).decode("ascii")
    except ValueError:
        return False
    user, colon, password = decoded.partition(":")
    return bool(user and colon and password) and decoded.isprintable()


def is_private_pem(value: str) -> bool:
    """Base64 of a PEM block with a private key, as kubeconfig keeps it; certificates are public."""
    try:
        return b"PRIVATE KEY" in b64decode(value[: len(value) // 4 * 4][:_PEM_HEAD], validate=True)
    except ValueError:
        return False


def is_session(value: str) -> bool:
    """A session's token among words such as `session=winter-2024-evening`."""
    return len(value) >= 20 and is_random(value) and any(len(part) >= 16 and is_random(part) for part in _parts(value))


def is_cookies(value: str) -> bool:
    """A header of cookies with a random value among them."""
    return any(map(is_random, _parts(value)))


def _parts(value: str) -> list[str]:
    return re.split(r"[^A-Za-z0-9+/]+", value)


def _class(character: str) -> str:
    return "d" if character.isdigit() else "u" if character.isupper() else "l" if character.islower() else "o"


def _entropy(value: str) -> float:
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


_PLACE = re.compile(
    r"(?i)<.*>|\$?\{+.*\}+|%\w+%|\$\w+|\[.*\]|[*x.…_-]+$|[/~]|[a-z]:\\|[\w.]*\(|(?:self|args|os|env|process|config)\."
    r"|[a-z_.-]*(?:passw|secret|token)[a-z_.()-]*$|(?:your|my|the|an|example|dummy|placeholder)(?![a-z0-9])"
    r"|(?:changeme|none|null|true|false|undefined|required|optional|missing|invalid|expired|wrong|reset|string|text|str)$"
)
