"""What a run's calls are likely to cost, guessed from the user's files before anything is measured."""

from __future__ import annotations

from dataclasses import replace

from ceopt_tui.core.plan.terms import JudgeTerms, Terms
from ceopt_tui.core.ports import Price, ResolvedModel
from ceopt_tui.inputs import Project, terms_of
from ceopt_tui.runner_agent import runner_agent
from judges.prices import price_of
from judges.program_calls import USUAL_TOKENS_IN, USUAL_TOKENS_OUT

TYPICAL_OUTPUT_TOKENS = 256
CHARACTERS_PER_TOKEN = 4
PROPOSAL_TOKENS_IN, PROPOSAL_TOKENS_OUT = 3_000, 1_000  # beside the text: rules and cases; edits and their reason
JUDGE_TOKENS_IN, VERDICT_TOKENS_OUT = 350, 80  # the template of one call; one row of its reply
PROPOSER_RETRIES = 2  # what a request is given that says nothing of it


def priced_terms(
    project: Project,
    task: ResolvedModel | None,
    proposer: ResolvedModel | None,
    judge: ResolvedModel | None = None,
    *,
    attended: bool,
) -> Terms:
    """The terms with what is known of prices; a model that is not configured has none."""
    terms = terms_of(project, attended=attended, usd_per_run=_usd_per_run(project, task) if task else None)
    return replace(
        terms,
        with_proposer=project.spec.proposer.asks_model and (proposer is not None or task is None),
        proposer_retries=PROPOSER_RETRIES,
        usd_per_proposal=_usd_per_proposal(project, proposer) if proposer else None,
        judge=_priced_judge(project, terms.judge, judge),
    )


def _priced_judge(project: Project, terms: JudgeTerms | None, model: ResolvedModel | None) -> JudgeTerms | None:
    if terms is None or model is None or project.rubric is None:
        return terms
    price: Price | None = price_of(model)
    usd = None
    if price is not None:
        shown = (_mean_input(project) + len(project.rubric.text) / terms.batch_size) / CHARACTERS_PER_TOKEN
        tokens_in = shown + TYPICAL_OUTPUT_TOKENS + JUDGE_TOKENS_IN / terms.batch_size
        usd = (tokens_in * price.usd_in + VERDICT_TOKENS_OUT * price.usd_out) / 1e6
    return replace(terms, model=model.model, usd_per_item=usd)


def _mean_input(project: Project) -> float:
    """Characters of an average input."""
    return sum(len(str(case.input)) for case in project.cases) / max(1, len(project.cases))


def _usd_per_proposal(project: Project, model: ResolvedModel) -> float | None:
    """A typical proposal's price: the text and some failing cases in, edits of the text out. None when unknown."""
    price: Price | None = price_of(model)
    if price is None:
        return None
    text = sum(map(len, project.texts.values())) / CHARACTERS_PER_TOKEN
    return ((text + PROPOSAL_TOKENS_IN) * price.usd_in + PROPOSAL_TOKENS_OUT * price.usd_out) / 1e6


def _usd_per_run(project: Project, model: ResolvedModel) -> float | None:
    """A typical case run's price: the text and an average input in, a short answer out. None when unknown."""
    price: Price | None = price_of(model)
    if price is None:
        return None
    text = sum(map(len, (*project.texts.values(), *project.references.values())))
    tokens_in, tokens_out = (text + _mean_input(project)) / CHARACTERS_PER_TOKEN, TYPICAL_OUTPUT_TOKENS
    if runner_agent(project.spec):
        tokens_in, tokens_out = tokens_in + USUAL_TOKENS_IN, USUAL_TOKENS_OUT
    return (tokens_in * price.usd_in + tokens_out * price.usd_out) / 1e6
