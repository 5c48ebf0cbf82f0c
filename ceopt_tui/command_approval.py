"""What a person approves of a spec that a command measures, in words: who edits, where, within which limits."""

from __future__ import annotations

from ceopt_tui.agent_parts import agent_lines, agent_of
from ceopt_tui.command_models import CommandModels
from ceopt_tui.core.figures import counted
from ceopt_tui.core.masking import mask
from ceopt_tui.core.visible import one_line, visible
from ceopt_tui.engine.backends.readiness import readiness, worktree_warning
from ceopt_tui.gitops.listing import registered
from ceopt_tui.project import Project
from schemas.spec import Spec


def command_approval_lines(project: Project, models: CommandModels) -> tuple[str, ...]:
    """One line a subject, label first."""
    spec = project.spec
    lines = [
        *_edits(spec, models),
        f"Reads      {_reader(models)}",
        f"Batches    {counted(spec.batch_limit, 'experiment')} side by side, in checkouts of their own",
        *_side_by_side(project),
        f"Time       at most {spec.measurement.timeout_seconds:g} s a measurement; "
        f"{counted(spec.stopping.max_iterations, 'experiment')}, {spec.stopping.max_hours:g} h of work",
        *_money(spec),
    ]
    lines += [f"Must hold  {text}" for text in spec.constraints]
    return tuple(lines)


def _edits(spec: Spec, models: CommandModels) -> list[str]:
    if spec.proposer.kind == "command":
        return [
            f"Edits      a command, run as you with your rights, at most {spec.proposer.timeout_s:g} s each time:",
            f"           {mask(one_line(spec.proposer.command or ''))}",
            "           the money it spends is not capped by ceopt; what it reports is booked as its own word",
        ]
    if agent := agent_of(spec):
        return agent_lines(spec, agent, models.editor)
    assert models.editor is not None
    return [f"Edits      {models.editor.model} at {models.editor.endpoint}"]


def _side_by_side(project: Project) -> list[str]:
    """What reading the command and its folder says of several experiments at once; workers elsewhere share nothing."""
    spec, parallel = project.spec, project.spec.parallel
    if spec.batch_limit == 1 or spec.execution.backend == "remote":
        return []
    measurement, root = spec.measurement, project.repository.root
    found = readiness(
        root,
        measurement.command or "",
        measurement.working_directory,
        parallel.shared_files,
        parallel.exclusive_resources,
        parallel.port_env_var,
    )
    warning = worktree_warning(len(registered(project.repository)) - 1, spec.batch_limit)
    first, *more = (visible(line) for line in (*found.lines, *([warning] if warning else [])))
    return [f"Together   {first}", *(f"           {line}" for line in more)]


def _reader(models: CommandModels) -> str:
    if models.reader is None:
        return "you: no model is configured that reads changes and does not write them"
    return f"{models.reader.model} reads every winner before an unattended keep, and sees no number"


def _money(spec: Spec) -> list[str]:
    usd, calls = spec.stopping.max_total_cost_usd, spec.stopping.max_calls
    said = [f"{usd:.2f} USD"] if usd is not None else []
    said += [counted(calls, "call")] if calls is not None else []
    return [f"Caps       {', '.join(said)} for all models together" if said else "Caps       none on money"]
