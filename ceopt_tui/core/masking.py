"""Hides secrets in text that leaves ceopt: messages, logs, reports, cached errors.

Pure. It recognises secrets it is told about and the well-known shapes of keys; it never decides where text goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MASK = "sk-***"
SHORTEST_SECRET = 8  # a shorter "secret" would mask ordinary words

_SHAPES = re.compile(
    r"""
    \b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|csk|fw|tgp|ghp|gho|ghs|ghu|glpat)[-_][A-Za-z0-9][A-Za-z0-9_-]{7,}
    | \bgithub_pat_[A-Za-z0-9_]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{12,}
    | \bAIza[A-Za-z0-9_-]{20,}
    """,
    re.VERBOSE,
)
_BEARER = re.compile(
    r"(?i)\b(bearer|api[-_]?key|x-api-key|authorization)(['\"]?\s*[:=]?\s*['\"]?)(?!Bearer\b)([^\s'\",;}]{8,})"
)
_SECRET_NAMES = re.compile(r"(?i)(?:_|^)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY_ID)$")


def mask(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace every given secret, and everything shaped like a key, by `sk-***`."""
    for secret in sorted({part for whole in secrets for part in (whole, whole.strip())}, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, MASK)
    text = _SHAPES.sub(MASK, text)
    return _BEARER.sub(lambda found: f"{found[1]}{found[2]}{MASK}" if _opaque(found[3]) else found[0], text)


def secrets_in(environ: Mapping[str, str]) -> frozenset[str]:
    """The values of environment variables whose names say that they are secret."""
    return frozenset(
        value.strip()
        for name, value in environ.items()
        if _SECRET_NAMES.search(name) and len(value.strip()) >= SHORTEST_SECRET
    )


def _opaque(word: str) -> bool:
    """Keys mix digits into letters; the words of a sentence ("api key provided:") do not."""
    return any(character.isdigit() for character in word)
