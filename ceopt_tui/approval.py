"""What a person approves of a spec, in words: metric, checks, runner, models. Plain lines for the approval message."""

from __future__ import annotations

from collections import Counter

from ceopt_tui.core.figures import counted, percent
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.inputs import Project


def approval_lines(project: Project, task: ResolvedModel, proposer: ResolvedModel | None) -> tuple[str, ...]:
    """One line a subject, label first."""
    spec = project.spec
    primary = spec.metric.primary
    checks = Counter(case.check.type if case.check else "exact" for case in project.cases)
    kinds = Counter(case.kind for case in project.cases)
    listed = ", ".join(f"{name} × {count}" for name, count in sorted(checks.items()))
    own_model = f"llm ({proposer.model})" if proposer else "mechanical (no model)"
    lines = [
        f"Metric     {primary.name} ({primary.direction}), scored by checks: {listed}",
        f"Of these   {counted(kinds['failure'], 'recorded failure')}, {counted(kinds['guard'], 'guard case')}",
        f"Gate       past {percent(spec.max_unscored)} of the cases without a score a measurement decides nothing",
        f"Runs on    {task.model} at {task.endpoint}, pinned for the whole run",
        f"Ideas from {own_model}, at most {counted(spec.proposer.edits, 'edit')} each",
        f"Caution    {spec.caution}",
    ]
    lines += [f"Must hold  {text}" for text in spec.constraints]
    return tuple(lines)
