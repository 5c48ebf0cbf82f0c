"""The report's page on what only a person can settle: changes that won and were not kept, and what ideas rely on."""

from __future__ import annotations

from ceopt_tui.core.plan.proposals import refused_dependencies, unasked, waiting_ideas
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.document import Block, Bullets, Paragraph, Part, Section, TextChange
from ceopt_tui.engine.reporting.keeps import measured_lines

HOW = "Open the run in the app (`ceopt`) to accept or refuse; each is shown there with this evidence."


def waiting_section(state: RunState, terms: Terms) -> list[Section]:
    """Empty where nothing waits."""
    blocks: list[Block | Part] = []
    for parked in state.waiting.proposals:
        experiment = state.experiments[parked.number]
        if experiment.text_digest is None:
            continue
        change = TextChange(state.texts[experiment.started.base_digest], state.texts[experiment.text_digest])
        lines = (f"not kept because: {parked.reason}", *measured_lines(experiment, terms))
        blocks.append(Part(f"{experiment.name}: {experiment.hypothesis.description}", (Bullets(lines), change)))
    if blocks:
        blocks.insert(0, Paragraph(HOW))
    if lacking := [*unasked(state), *refused_dependencies(state)]:
        ideas = ", ".join(idea.description for idea in waiting_ideas(state))
        blocks.append(Paragraph(f"Not tried, since they rely on {', '.join(lacking)}: {ideas}."))
    return [Section("Waiting for a person", tuple(blocks))] if blocks else []
