"""Which models play a part in a run that a command measures: who edits, who judges, who reads what was edited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ceopt_tui.agent_parts import agent_of
from ceopt_tui.core.masking import mask, redacted
from ceopt_tui.core.ports import ResolvedModel, Role
from ceopt_tui.errors import SetupError
from ceopt_tui.models import Find, judge_of, price_in_record, reader_of
from ceopt_tui.project import Project
from ceopt_tui.run_options import RunOptions
from judges.prices import require_price
from judges.tiers import resolve
from judges.user_config import user_config_file
from schemas.records import ModelBound
from schemas.spec import Spec


@dataclass(frozen=True)
class CommandModels:
    """No editor means that a command edits, or an agent with nobody to stand in; no reader that a person reads.

    Where an agent edits, the editor stands in for it.
    """

    editor: ResolvedModel | None = None
    judge: ResolvedModel | None = None
    reader: ResolvedModel | None = None
    warnings: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[ResolvedModel, ...]:
        """Every model that may be called."""
        return tuple(model for model in (self.editor, self.judge, self.reader) if model is not None)


def resolve_command_models(project: Project, options: RunOptions) -> CommandModels:
    """The models of this run as things are configured now. SetupError says what is missing and how to name it."""
    spec, warnings = project.spec, list[str]()
    find: Find = partial(
        resolve,
        spec_models=spec.models,
        environ=options.environ,
        user_config_path=user_config_file(),
        overrides=options.models,
        warn=warnings.append,
    )
    editor, agent = None, agent_of(spec)
    if spec.proposer.kind != "command":
        editor = _stand_in(spec, find, warnings) if agent else find("proposer", spec.proposer.model)
        if editor is None and (agent is None or spec.proposer.kind == "llm"):
            raise SetupError(
                f"no model is configured to edit the code ({spec.proposer.model})",
                "Set CEOPT_MODEL_STRONG=provider/model, or let a command edit: `proposer: {kind: command, …}`.",
            )
    models = CommandModels(
        editor, judge_of(spec, find, None), reader_of(spec, options, editor, warnings.append), tuple(warnings)
    )
    if spec.user_cost_cap_usd is not None:
        for model in models.all:
            require_price(model)
    return models


def _stand_in(spec: Spec, find: Find, warnings: list[str]) -> ResolvedModel | None:
    """The model that edits when the agent cannot; the agent needs none, so one without its key is none."""
    try:
        return find("proposer", spec.proposer.model)
    except SetupError as error:
        warnings.append(f"no model stands in for the agent: {error.message}")
        return None


def bound_command_models(models: CommandModels) -> tuple[ModelBound, ...]:
    """The models as the journal names them."""
    roles: tuple[tuple[Role, ResolvedModel | None], ...] = (
        ("proposer", models.editor),
        ("judge", models.judge),
        ("reader", models.reader),
    )
    return tuple(
        ModelBound(
            role=role,
            name=model.name,
            model=model.model,
            endpoint=mask(model.endpoint),
            params=redacted(model.params),
            usd_per_mtok=price_in_record(model),
        )
        for role, model in roles
        if model is not None
    )
