"""The output contract of a task, inferred from the expected values of its selection cases and from nothing else.

A contract states a form every expected value has; it never quotes a value that answers a single case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from texttargets.proposers.json_contract import JsonForm, json_form
from texttargets.proposers.shapes import Shape, common_shape, spell
from texttargets.strict_json import as_text

Kind = Literal["labels", "json", "shape", "number", "words"]

LEAST_CASES = 3
MOST_LABELS = 20
_LABEL_WORDS, _LABEL_LENGTH = 4, 40
_NUMBER = re.compile(r"[-+]?\d+(?:\.(?P<decimals>\d+))?")
_NO_MORE = "No other words, no explanation, no quotation marks."

# How people write shapes they know: widths of the digit runs and the signs between them.
_FAMILIAR_SHAPES = {((4, 2, 2), "--"): "YYYY-MM-DD", ((2, 2), ":"): "HH:MM", ((2, 2, 2), "::"): "HH:MM:SS"}


@dataclass(frozen=True)
class Contract:
    """What an output must look like. `lines` say it to a model; `labels`, `shape` and `form` carry the same as data."""

    kind: Kind
    lines: tuple[str, ...]
    labels: tuple[str, ...] = ()
    shape: Shape | None = None
    form: JsonForm | None = None
    most_words: int = 0
    decimals: int | None = None

    def accepts(self, output: str) -> bool:
        """Whether an output has the form; says nothing about its being right."""
        given = output.strip()
        if self.kind == "labels":
            return given in self.labels
        if self.kind == "json":
            return self.form is not None and self.form.accepts(given)
        if self.kind == "shape":
            return self.shape is not None and self.shape.matches(given)
        if self.kind == "number":
            return _NUMBER.fullmatch(given) is not None
        return "\n" not in given and 0 < len(given.split()) <= self.most_words


def infer_contract(expected: Sequence[Any]) -> Contract | None:
    """The narrowest contract all expected values keep, or None when they share no form worth stating."""
    values = [value for value in expected if value is not None]
    if len(values) < LEAST_CASES:
        return None
    form = json_form(values)
    if form is not None:
        return Contract("json", form.lines, form=form)
    texts = [as_text(value).strip() for value in values]
    if any(not text or "\n" in text for text in texts):
        return None
    return _labels(texts) or _number(texts) or _shape(texts) or _words(texts)


def _labels(texts: list[str]) -> Contract | None:
    counts = Counter(texts)
    short = all(len(text) <= _LABEL_LENGTH and len(text.split()) <= _LABEL_WORDS for text in counts)
    if not short or not 2 <= len(counts) <= min(MOST_LABELS, len(texts) // 2):
        return None
    labels = tuple(sorted(counts))
    if any("," in label for label in labels):
        listed = [f"- {label}" for label in labels]
        return Contract("labels", ("Answer with exactly one of these lines:", *listed, _NO_MORE), labels)
    return Contract("labels", (f"Answer with exactly one of these: {', '.join(labels)}.", _NO_MORE), labels)


def _number(texts: list[str]) -> Contract | None:
    found = [_NUMBER.fullmatch(text) for text in texts]
    if not all(found):
        return None
    decimals = {len(match["decimals"] or "") for match in found if match}
    fixed = decimals.pop() if len(decimals) == 1 else None
    written = "written in digits"
    if fixed is not None:
        written += f" with {fixed} digits after the point" if fixed else " without decimals"
    lines = (f"Answer with only the number, {written}.", "No unit, no other words, no calculation.")
    return Contract("number", lines, decimals=fixed)


def _shape(texts: list[str]) -> Contract | None:
    shape = common_shape(texts)
    if shape is None:
        return None
    name = _FAMILIAR_SHAPES.get((shape.digit_widths(), shape.signs()))
    form = f"{name} ({spell(shape)})" if name else spell(shape)
    named = f"one value of the form {form}" if name else f"one value of this form: {form}"
    return Contract("shape", (f"Answer with only {named}.", f"One line. {_NO_MORE}"), shape=shape)


def _words(texts: list[str]) -> Contract | None:
    most = max(len(text.split()) for text in texts)
    count = "one word" if most == 1 else f"at most {most} words"
    lines = (f"Answer on one line with {count}.", "Only the answer: no introduction, no explanation.")
    return Contract("words", lines, most_words=most)
