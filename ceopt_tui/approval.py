"""What a person approves of a spec, in words: metric, checks, runner, models. Plain lines for the approval message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ceopt_tui.case_filling import filling_lines
from ceopt_tui.core.figures import counted, percent
from ceopt_tui.core.masking import mask
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.core.visible import one_line
from ceopt_tui.inputs import Project
from ceopt_tui.runner_agent import agent_run_lines, in_sandbox
from ceopt_tui.told_files import unsent_files
from judges.rubric import levels
from texttargets.excerpt import excerpt


def approval_lines(
    project: Project,
    task: ResolvedModel,
    proposer: ResolvedModel | None,
    judge: ResolvedModel | None = None,
    reader: ResolvedModel | None = None,
) -> tuple[str, ...]:
    """One line a subject, label first."""
    spec = project.spec
    primary = spec.metric.primary
    kinds = Counter(case.kind for case in project.cases)
    lines = [
        f"Metric     {primary.name} ({primary.direction}), scored by {_scored_by(project, judge)}",
        *_rubric_lines(project, judge),
        f"Of these   {counted(kinds['failure'], 'recorded failure')}, {counted(kinds['guard'], 'guard case')}",
        f"Gate       past {percent(spec.max_unscored)} of the cases without a score a measurement decides nothing",
        f"Runs on    {task.model} at {task.endpoint}, pinned for the whole run",
        *agent_run_lines(spec, sandboxed=in_sandbox(task)),
        *_ideas_lines(project, proposer),
        *([reading_line(reader)] if reader else []),
        f"Caution    {spec.caution}",
    ]
    return (*lines, *text_lines(project), *(f"Must hold  {text}" for text in spec.constraints))


def text_lines(project: Project) -> Iterator[str]:
    """What of the text goes beyond its words: files beside it, and what a change may do that it else may not."""
    target = project.spec.target
    yield from filling_lines(project)
    if project.references:
        yield f"Sent along {', '.join(project.references)}; never edited"
    if unsent := unsent_files(project):
        chat = project.spec.runner.kind == "chat"
        why = "a chat run opens no files" if chat else "the agent's folder does not hold them"
        yield f"Not sent   {', '.join(unsent)}: the text names them, {why}, and"
        yield "           `target.references` would send them along"
    if target is not None and target.front_matter == "editable":
        yield "Head       a change may edit the front matter, but never its name"
    if target is not None and target.public_phrases:
        yield f"May quote  {', '.join(excerpt(phrase) for phrase in target.public_phrases)}"


def reading_line(reader: ResolvedModel | None) -> str:
    """Who reads a change before it is kept with nobody watching."""
    if reader is not None:
        return f"Read by    {reader.model} before a change is kept with nobody watching, once or twice each"
    why = "no strong model that did not write it is configured; `models.reader` names one"
    return f"Read by    the guards alone, before a change is kept with nobody watching: {why}"


def _ideas_lines(project: Project, model: ResolvedModel | None) -> list[str]:
    """Who changes the text, and what that may cost where ceopt cannot know it."""
    proposer = project.spec.proposer
    if project.pruning:
        return ["Removes    rules one by one, where no case gets worse; `target.protect` keeps what no case asks about"]
    if proposer.kind != "command":
        own_model = f"llm ({model.model})" if model else "mechanical (no model)"
        return [f"Ideas from {own_model}, at most {counted(proposer.edits, 'edit')} each"]
    return list(command_lines(project))


def command_lines(project: Project) -> tuple[str, ...]:
    """What somebody approves who lets a command bring the texts; nothing where none does."""
    proposer = project.spec.proposer
    if proposer.kind != "command" or project.pruning:
        return ()
    given = f", given {', '.join(proposer.environment)}" if proposer.environment else ""
    return (
        f"Ideas from a command, run as you with your rights, at most {proposer.timeout_s:g} s each time{given}:",
        f"           {mask(one_line(proposer.command or ''))}",
        "           the money this command spends is not capped by ceopt; what it reports is booked as its own word",
        "           it is given the text and the selection cases alone, but as you it can also open",
        f"           {_in_reach(project)}",
    )


def _in_reach(project: Project) -> str:
    """What a command of the user's could open although it is not for it."""
    files = ", ".join(one_line(str(loaded.file.name)) for loaded in project.evalsets)
    return f"{files} with the held-out cases, the run's own journal"


def _scored_by(project: Project, judge: ResolvedModel | None) -> str:
    if judge is not None:
        return f"a judge: {judge.model} at {judge.endpoint}"
    checks = Counter(case.check.type if case.check else "exact" for case in project.cases)
    return "checks: " + ", ".join(f"{name} × {count}" for name, count in sorted(checks.items()))


def _rubric_lines(project: Project, judge: ResolvedModel | None) -> list[str]:
    """The rubric level by level, and what judging may cost."""
    spec, rubric = project.spec.metric.judge, project.rubric
    if judge is None or spec is None or rubric is None:
        return []
    cap = spec.max_total_cost_usd
    lines = [f"Rubric     {rubric.scale}; an output passes from {rubric.pass_at:g}"]
    lines += [f"           {level.score:g}  {level.meaning}".rstrip() for level in reversed(levels(rubric))]
    lines.append(
        f"Judging    {'uncapped' if cap is None else f'at most {cap:.2f} USD'}, {spec.batch_size} outputs a call"
    )
    return lines
