"""A text without one of its rules, and copies of it that say the same: what coverage measures. Byte-exact elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from texttargets.placeholders import placeholders
from texttargets.rules import REMOVABLE, Rule, split_rules
from texttargets.target_file import BYTE_ORDER_MARK, for_model

NEEDED = "a placeholder stands in it"
ALONE = "nothing would be left without it"
_REACH = 2_000  # characters, far beyond any placeholder


@dataclass(frozen=True)
class Removal:
    """One rule of one file, and all texts without it; `texts` is None where it cannot go, and `kept` says why."""

    path: str
    rule: Rule
    texts: Mapping[str, str] | None
    kept: str = ""


def removals(texts: Mapping[str, str], syntax: str) -> tuple[Removal, ...]:
    """Every rule that may be removed, file by file in the order of their names; headings and front matter are none."""
    return tuple(
        _removal(texts, path, rule, syntax)
        for path in sorted(texts)
        for rule in split_rules(texts[path])
        if rule.kind in REMOVABLE
    )


def _removal(texts: Mapping[str, str], path: str, rule: Rule, syntax: str) -> Removal:
    text = texts[path]
    left = text[: rule.start] + text[rule.end :]
    if text.startswith(BYTE_ORDER_MARK) and not rule.start:
        left = BYTE_ORDER_MARK + left
    if "{" in rule.text and not _keeps_marks(text, rule, syntax):  # every mark has a brace
        return Removal(path, rule, None, NEEDED)
    remaining = {**texts, path: left}
    if not any(for_model(one).strip() for one in remaining.values()):
        return Removal(path, rule, None, ALONE)
    return Removal(path, rule, remaining)


def _keeps_marks(text: str, rule: Rule, syntax: str) -> bool:
    """Whether the same placeholders stand in the text without the rule. Only Jinja has marks that reach far."""
    reach = len(text) if syntax == "jinja" else _REACH
    before, after = text[max(0, rule.start - reach) : rule.start], text[rule.end : rule.end + reach]
    return placeholders(before + after, syntax) == placeholders(before + rule.text + after, syntax)


def neutral_copies(texts: Mapping[str, str], wanted: int) -> tuple[dict[str, str], ...]:
    """Up to `wanted` different copies with blank lines more between two rules: the same to a reader.

    None of a text that is one rule only.
    """
    places = [
        (path, rule.end)
        for path in sorted(texts)
        for rule in split_rules(texts[path])[:-1]
        if rule.kind != "front_matter"
    ]
    copies = []
    for number in range(wanted if places else 0):
        path, at = places[(number * len(places) // wanted) % len(places)]
        line_end = "\r\n" if texts[path][:at].endswith("\r\n") else "\n"
        blank = line_end * (1 + number)
        copies.append({**texts, path: texts[path][:at] + blank + texts[path][at:]})
    return tuple(copies)
