"""The proposer with a model: one idea per failure theme, carried out as edits of the present text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.figures import change, counted
from ceopt_tui.core.ports import (
    Brief,
    Completer,
    Draft,
    HypothesisDraft,
    ModelRequest,
    ProposalRefused,
    Refusal,
    ResolvedModel,
)
from ceopt_tui.errors import CallFailed, ProposalError
from schemas.idea_key import idea_key
from texttargets.edits import apply_edits
from texttargets.excerpt import excerpt
from texttargets.proposers.contract import Contract, infer_contract
from texttargets.proposers.failure_themes import WRONG_FORM, FailureTheme, failure_themes, judged_themes
from texttargets.proposers.insertion import insert_lines
from texttargets.proposers.llm_prompt import proposal_messages
from texttargets.proposers.llm_reply import Rewrite, accept_reply, parse_reply, reply_schema

MOVE = "rewrite"
DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 2048}

# What a change may do, in the order in which it is worth trying; the first one is for answers of the wrong form.
APPROACHES = (
    ("output contract", "state exactly what an answer must look like and that nothing else may be written"),
    ("boundary rule", "add one rule that says which way such cases go, and where its limit is"),
    ("definitions", "define the terms or labels that are taken for one another"),
    ("worked examples", "show a worked example of this kind with an invented input"),
    ("order", "put the rules that decide such cases first and say which one wins"),
    ("steps", "split the task into steps that lead to the right answer for such cases"),
    ("contradictions", "resolve what in the text contradicts itself or invites the wrong answer"),
    ("fewer rules", "remove, merge or shorten rules that distract from what such cases need"),
)


OUTAGES = frozenset({"server error", "connection", "timeout"})


class LLMProposer:
    """Implements ports.Proposer with a model; its replies are used as they are or not at all."""

    name = "llm"

    def __init__(
        self,
        completer: Completer,
        model: ResolvedModel,
        *,
        params: Mapping[str, Any] | None = None,
        timeout_s: float = 120.0,
    ) -> None:
        self._completer = completer
        self._model = model
        self._params = over_defaults(DEFAULT_PARAMS, {**model.params, **(params or {})})
        self._timeout_s = timeout_s

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        """At most one idea per failure theme, the largest theme first; no model is asked for them.

        What was tried for a theme on an earlier text is not had again for it on the next one.
        """
        ideas = []
        for theme in _themes(brief):
            fresh = (_idea(brief, theme, *approach) for approach in _approaches(theme))
            idea = next((one for one in fresh if idea_key(one.move, one.parameters) not in brief.tried_keys), None)
            if idea is not None:
                ideas.append(idea)
        return ideas[:wanted]

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        """Asks for edits and applies them. Raises ProposalError when there is no usable reply."""
        theme = _theme_of(brief, idea)
        request = ModelRequest(
            role="proposer",
            model=self._model,
            messages=proposal_messages(brief, _wish(idea, theme), theme, _contract(brief), refused),
            params=self._params,
            response_schema=reply_schema(tuple(brief.texts)),
            timeout_s=self._timeout_s,
        )
        try:
            reply = await self._completer.complete(request, accept_reply)
        except CallFailed as failure:
            if failure.reason in OUTAGES:
                raise  # nobody answered: that says nothing about the proposer's ideas
            raise ProposalError(f"The proposer gave no reply: {failure.message}") from failure
        if reply.truncated:
            raise ProposalRefused([Refusal("truncated", "the reply was cut off before its end")])
        rewrite = parse_reply(reply.text)
        return Draft(_applied(brief, rewrite), (reply.facts,), rewrite.why)


def _themes(brief: Brief) -> list[FailureTheme]:
    """Themes of a judged run; where it has none, what its outputs show. What a person dismissed is in neither."""
    rest = [item for item in brief.selection if item.case.id not in brief.set_aside]
    return judged_themes(brief.selection, brief.themes) or failure_themes(rest, _contract(brief))


def _contract(brief: Brief) -> Contract | None:
    """The form all expected values share; in a judged run they are one good answer of many, and of other themes."""
    if brief.themes or any(item.score is not None for item in brief.selection):
        return None
    return infer_contract([item.case.expected for item in brief.selection])


def _approaches(theme: FailureTheme) -> Sequence[tuple[str, str]]:
    return APPROACHES if theme.name == WRONG_FORM else (*APPROACHES[1:], APPROACHES[0])


def _idea(brief: Brief, theme: FailureTheme, category: str, how: str) -> HypothesisDraft:
    failing, total = len(theme.cases), len(brief.selection)
    share = f"{failing} of {counted(total, 'case')}"
    reach = f"0 to {change(failing / max(1, total), 1)}"
    return HypothesisDraft(
        description=f"{how} ({share}: {theme.name})",
        category=category,
        move=MOVE,
        parameters={"theme": theme.key, "approach": category},
        theme=theme.key,
        priority="high" if failing * 4 >= total else "medium",
        expected_benefit=f"{share} fail this way" if theme.id else f"{reach}: {share} fail this way",
        rank=float(failing),
        upper_bound=None if theme.id else failing / max(1, total),
    )


def _wish(idea: HypothesisDraft, theme: FailureTheme) -> str:
    """The idea as the model is told it: a judged theme by its id, since its name is made of a judge's words."""
    how = dict(APPROACHES).get(str(idea.parameters.get("approach")))
    if theme.id is None or how is None or not idea.description.startswith(f"{how} ("):
        return idea.description
    return f"{how} (theme {theme.id})"


def _theme_of(brief: Brief, idea: HypothesisDraft) -> FailureTheme:
    """The idea's theme; for an idea of a person, which has none, all that fail.

    A theme of a judged run that was dismissed, merged away or solved meanwhile has no other in its place.
    """
    themes = _themes(brief)
    named = next((theme for theme in themes if theme.key == idea.theme), None)
    if named is not None:
        return named
    if brief.themes and idea.theme is not None:
        raise ProposalError(f"The theme this idea is about is no longer there: {idea.description}")
    return FailureTheme("", tuple(item for theme in themes for item in theme.cases))


def _applied(brief: Brief, rewrite: Rewrite) -> dict[str, str]:
    """The changed files. What is appended goes to the file it names, else to the first, and counts as an edit."""
    count = len(rewrite.edits) + len(rewrite.appended)
    if count > brief.edits:
        raise ProposalRefused([Refusal("edit_budget", f"{counted(count, 'edit')}, at most {brief.edits} allowed")])
    texts = dict(brief.texts)
    if rewrite.edits or not rewrite.appended:
        texts = apply_edits(texts, rewrite.edits, brief.edits)
    for added in rewrite.appended:
        path = added.path or next(iter(texts))
        if path not in texts:
            raise ProposalRefused([Refusal("out_of_scope", f"{excerpt(path)} is no target file")])
        lines = added.text.replace("\r\n", "\n").strip("\n").split("\n")
        texts[path] = insert_lines(texts[path], lines, "end", brief.syntax)
    return {path: text for path, text in texts.items() if text != brief.texts[path]}
