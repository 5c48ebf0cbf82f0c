"""Hides secrets in text that leaves ceopt: messages, logs, reports, cached errors.

Pure. It recognises secrets it is told about and the well-known shapes of keys; it never decides where text goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

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
_SECRET_WORDS = frozenset(
    {"key", "apikey", "token", "secret", "password", "passwd", "passphrase", "authorization", "auth", "credential",
     "credentials", "cookie", "headers"}
)  # fmt: skip
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECRET_NAMES = re.compile(r"(?i)(?:_|^)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY_ID)$")


def mask(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace every given secret, and everything shaped like a key, by `sk-***`."""
    for secret in sorted({part for whole in secrets for part in (whole, whole.strip())}, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, MASK)
    text = _SHAPES.sub(MASK, text)
    return _BEARER.sub(lambda found: f"{found[1]}{found[2]}{MASK}" if _opaque(found[3]) else found[0], text)


def masked(value: Any, secrets: Iterable[str] = ()) -> Any:
    """The same value with every string in it masked, names of fields aside."""
    if isinstance(value, str):
        return mask(value, secrets)
    if isinstance(value, Mapping):
        return {name: masked(inner, secrets) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(inner, secrets) for inner in value]
    return value


def redacted(params: Mapping[str, Any]) -> dict[str, Any]:
    """A model's parameters as they may be written down: what headers hold, and all that is named like a secret, is not.

    A bare number under a secret's name stays: `max_tokens` and its like are no secrets.
    """
    return {name: _hidden(inner) if _secret_name(name) else _looked_through(inner) for name, inner in params.items()}


def secrets_of(params: Mapping[str, Any]) -> frozenset[str]:
    """The strings that `redacted` hides, to be masked wherever else they turn up."""
    found: set[str] = set()
    for name, inner in params.items():
        found |= _strings(inner) if _secret_name(name) else _secrets_below(inner)
    return frozenset(found)


def _secret_name(name: object) -> bool:
    return any(word.lower() in _SECRET_WORDS for word in _WORDS.findall(str(name)))


def _looked_through(value: Any) -> Any:
    if isinstance(value, Mapping):
        return redacted(value)
    if isinstance(value, (list, tuple)):
        return [_looked_through(inner) for inner in value]
    return mask(value) if isinstance(value, str) else value


def _hidden(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _hidden(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hidden(inner) for inner in value]
    return MASK if isinstance(value, str) else value


def _secrets_below(value: Any) -> frozenset[str]:
    if isinstance(value, Mapping):
        return secrets_of(value)
    inner = value if isinstance(value, (list, tuple)) else ()
    return frozenset().union(*map(_secrets_below, inner))


def _strings(value: Any) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return frozenset().union(*map(_strings, inner))


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
