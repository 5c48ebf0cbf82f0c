"""What a candidate may do to the texts, as the spec says it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """Limits of one run. Growth is capped at the larger of 4 × and + 600 tokens unless `max_growth` gives a factor."""

    max_tokens: int | None = None
    max_growth: float | None = None
    mutable: Collection[str] | None = None  # paths and folders that may change; None: every target file
    front_matter_may_change: bool = False  # its `name` never may
    protect: tuple[str, ...] = ()  # headings, rule ids or the text of rules
    allowed_phrases: tuple[str, ...] = ()  # public formats a person has cleared for the leak guard
    refused: Collection[str] = field(default_factory=frozenset)  # text_digest of what was refused before
    original: Mapping[str, str] | None = None  # the texts growth is measured from; None: the texts before this change
