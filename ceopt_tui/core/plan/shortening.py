"""Experiments that claim tokens: a shorter text is kept when the score is shown to be no worse."""

from __future__ import annotations

from collections.abc import Iterable

from ceopt_tui.core.decision.compare import Comparison
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState

TOKENS = "tokens"


def claims_tokens(experiment: ExperimentState) -> bool:
    """Is it the length of the text that the idea is to improve?"""
    return experiment.hypothesis.claims == TOKENS


def shorter(state: RunState, experiment: ExperimentState) -> Comparison:
    """The candidate's length beside that of its reference; characters, which any tokenizer's count follows."""
    before = _length(state.texts[experiment.started.base_digest].values())
    after = _length(state.texts[experiment.text_digest or ""].values())
    saved = float(before - after)
    return Comparison("improved" if saved > 0 else "inconclusive", saved, saved / before if before else 0.0, saved < 0)


def only_shortened(state: RunState) -> bool:
    """Was every kept change one that claimed tokens?"""
    kept = [state.experiments[keep.number] for keep in state.keeps]
    return bool(kept) and all(map(claims_tokens, kept))


def _length(texts: Iterable[str]) -> int:
    return sum(map(len, texts))
