"""Who has the ideas of a run: the proposer its spec asks for, with what that proposer needs."""

from __future__ import annotations

from collections.abc import Mapping

from ceopt_tui.core.figures import counted
from ceopt_tui.core.masking import secrets_in
from ceopt_tui.core.ports import Completer, OutsideCalls, Proposer, ResolvedModel
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.skin import Skin
from ceopt_tui.inputs import Project
from ceopt_tui.programs import program_environment
from ceopt_tui.run_options import RunOptions
from texttargets.proposers.command import CommandProposer, CommandSetting
from texttargets.proposers.llm import LLMProposer
from texttargets.proposers.mechanical import MechanicalProposer
from texttargets.proposers.prune import PruneProposer

SPEC_FOLDER = "CEOPT_SPEC_DIR"  # where a proposer's command finds the project's own files


def make_proposer(
    project: Project,
    completer: Completer,
    model: ResolvedModel | None,
    options: RunOptions,
    account: OutsideCalls,
    skin: Skin,
) -> Proposer:
    """The proposer of this run; a model is asked where there is one. A command's calls go to `account`."""
    if options.prune:
        return PruneProposer()
    setting = command_setting(project, options.environ)
    if setting is not None:
        return CommandProposer(setting, account, skin.progress, secrets_in(options.environ))
    return MechanicalProposer() if model is None else LLMProposer(completer, model)


def command_setting(project: Project, environ: Mapping[str, str]) -> CommandSetting | None:
    """The proposer's command with the environment its spec grants it; None where the spec names none."""
    proposer = project.spec.proposer
    if proposer.kind != "command" or proposer.command is None:
        return None
    given = program_environment(environ, proposer.environment)
    folder = str(project.loaded.file.resolve().parent)
    return CommandSetting(proposer.command, {**given, SPEC_FOLDER: folder}, proposer.timeout_s)


def cut_off(project: Project, state: RunState) -> list[str]:
    """What is to be noted of runs of the proposer's command that an earlier start did not see the end of."""
    lost = state.spend.lost_of("proposer").calls
    if project.spec.proposer.kind != "command" or not lost:
        return []
    return [
        f"{counted(lost, 'run')} of the proposer's command cut off by a kill: what it spent is not known, it runs again"
    ]
