"""The report's words on the eval set itself: cases that count for nothing, and harder ones to add."""

from __future__ import annotations

from ceopt_tui.core.harness_words import TO_CONFIRM, left_out_line, left_out_sentence
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.document import Block, Bullets, Code, Paragraph, Section, Table
from schemas.evalset import as_words

PUT_RIGHT = (
    "They were run for the baseline and count for nothing since: not for a keep, not for a figure, and the proposer "
    "does not see them. The fault is in their checks, not in the text; put right, they count in the next run."
)


def left_out_section(state: RunState) -> list[Section]:
    """Every case that is left out, with what is wrong with its check."""
    flagged = state.harness.flagged
    if not flagged:
        return []
    lines = Bullets(tuple(left_out_line(state, case) for case in flagged))
    return [Section("Checks that cannot tell outputs apart", (_paragraph(state), lines))]


def _paragraph(state: RunState) -> Paragraph:
    return Paragraph(f"{left_out_sentence(state)}. {PUT_RIGHT}")


def harder_section(state: RunState) -> list[Section]:
    """What to add where the cases leave nothing to gain; what a model wrote is marked as such."""
    proposed = state.harness.proposed
    if proposed is None:
        return []
    blocks: list[Block] = []
    if proposed.ideas:
        blocks.append(Bullets(tuple(idea.text for idea in proposed.ideas)))
    if proposed.drafts:
        rows = tuple((Code(as_words(one.input)), Code(one.expected), one.why) for one in proposed.drafts)
        blocks.append(Paragraph(f"By {proposed.model}: {TO_CONFIRM}."))
        blocks.append(Table(("input", "answer to confirm", "what makes it hard"), rows))
    if proposed.note:
        blocks.append(Paragraph(f"No cases were drafted: {proposed.note}."))
    return [Section("Harder cases to add", tuple(blocks))] if blocks else []
