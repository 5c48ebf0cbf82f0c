"""A person's own scores of outputs beside the judge's, bound to one rubric and one judge model. Reads no file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from schemas.scalars import FilledText, Integer, Number, Section, Text

LABELS_VERSION = 1


class Binding(NamedTuple):
    """What labels hold for: with another rubric or judge model they say nothing."""

    rubric_digest: str
    judge_model: str


class LabelEntry(Section):
    """One output with both scores."""

    input: Text
    output: Text
    expected: Text | None = None
    person: Number
    """The person's score."""
    judge: tuple[Number, ...]
    """Every score the judge gave this very output; none where it gave no usable reply."""
    reason: Text = ""
    """Why the person scored so, in their words."""
    judge_reason: Text = ""
    """What the judge said would have to change."""
    at: Text = ""
    """When the person scored it (UTC, ISO 8601)."""

    @property
    def what(self) -> tuple[str, str, str | None]:
        """What was scored; two entries with the same are one label."""
        return self.input, self.output, self.expected


def _known_version(version: int) -> int:
    if version != LABELS_VERSION:
        raise ValueError(f"must be {LABELS_VERSION}; this ceopt cannot read version {version}")
    return version


def _each_once(labels: tuple[LabelEntry, ...]) -> tuple[LabelEntry, ...]:
    first: dict[tuple[str, str, str | None], int] = {}
    for number, label in enumerate(labels, 1):
        if label.what in first:
            raise ValueError(f"entries {first[label.what]} and {number} are of the same output; delete one")
        first[label.what] = number
    return labels


class Labels(Section):
    """A labels file."""

    version: Annotated[Integer, AfterValidator(_known_version)]
    rubric_digest: FilledText
    """Which rubric, scale and scoring method the scores were given by."""
    judge_model: FilledText
    labels: Annotated[tuple[LabelEntry, ...], AfterValidator(_each_once)] = ()

    @property
    def binding(self) -> Binding:
        """The rubric and the judge these labels hold for."""
        return Binding(self.rubric_digest, self.judge_model)


def bound_labels(binding: Binding, entries: Iterable[LabelEntry]) -> Labels:
    """Labels of one binding; of several scores of one output the latest counts, of equally late ones the last."""
    kept: dict[tuple[str, str, str | None], LabelEntry] = {}
    for entry in entries:
        known = kept.get(entry.what)
        if known is None or entry.at >= known.at:
            kept[entry.what] = entry
    return Labels(version=LABELS_VERSION, labels=tuple(kept.values()), **binding._asdict())


def merged_labels(known: Labels, new: Labels) -> Labels:
    """Both as one file. Raises ValueError when they are bound to different rubrics or judges."""
    if known.binding != new.binding:
        raise ValueError("labels of different rubrics or judge models do not mix")
    return bound_labels(known.binding, (*known.labels, *new.labels))
