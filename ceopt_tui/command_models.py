"""Which models play a part in a run that a command measures: who edits, who judges, who reads what was edited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

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


@dataclass(frozen=True)
class CommandModels:
    """No editor means that a command or an agent edits, no reader that changes are a person's to read."""

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
    editor = None
    if spec.proposer.kind in {"auto", "llm"}:
        editor = find("proposer", spec.proposer.model)
        if editor is None:
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
