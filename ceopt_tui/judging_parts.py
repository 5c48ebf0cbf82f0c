"""The parts of a run that a judge scores: the judge itself, its probes, a person's levels, themes of its feedback."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.ports import Completer
from ceopt_tui.engine.parts import JudgeParts
from ceopt_tui.inputs import Project, split_of
from ceopt_tui.models import Models
from judges.cache import ReplyCache
from judges.judge_settings import JudgeSettings
from judges.output_judge import RunJudge
from judges.rubric import levels, rubric_bound
from judges.validity import missing_exemplars, probe_judge
from schemas.evalset import Case
from schemas.records import Probed
from texttargets.themes.maker import ModelThemes, WordThemes

JUDGE_TIMEOUT_S = 60.0  # at least; a spec that is patient with its task model is so with its judge


def make_judging(
    project: Project, models: Models, client: Completer, journaled: Completer, cache: ReplyCache
) -> JudgeParts | None:
    """Everything that judging needs; None where checks score. The engine journals verdicts, themes and their calls."""
    spec, rubric = project.spec.metric.judge, project.rubric
    if spec is None or rubric is None or models.judge is None:
        return None
    settings = JudgeSettings(
        rubric,
        models.judge,
        batch_size=spec.batch_size,
        seed=spec.sample_seed,
        ask_for_feedback=True,
        method=spec.scoring.method,
        singleton_rubric=project.singleton_rubric,
        timeout_s=max(JUDGE_TIMEOUT_S, project.spec.runner.timeout_s),
        retries=project.spec.runner.retries,
    )
    judge = RunJudge(client, settings, store=cache)
    bound = rubric_bound(rubric, spec.scoring.method, project.singleton_rubric)

    trying = RunJudge(journaled, settings, store=cache)

    async def probe() -> Sequence[Probed]:
        found = await probe_judge(
            trying, selection(project), spec.exemplars, bound.lowest, bound.highest, spec.sample_seed
        )
        return [record.model_copy(update={"calls": ()}) for record in found]  # they went on record as they came

    themes = ModelThemes(client, models.namer) if models.namer else WordThemes()
    return JudgeParts(judge, bound, levels(rubric), probe, themes)


def lacking(project: Project) -> tuple[str, ...]:
    """Which known good or bad outputs the project does not have, in words."""
    spec = project.spec.metric.judge
    return missing_exemplars(selection(project), spec.exemplars) if spec else ()


def selection(project: Project) -> list[Case]:
    """The cases that may be looked at before anything is decided."""
    drawn = set(split_of(project).selection)
    return [case for case in project.cases if case.id in drawn]
