"""Are the cases of a study sound? Asked of the scorers themselves, before anything is paid."""

from __future__ import annotations

from collections.abc import Iterator

from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.scoring import Unreadable, golden_reply, score_reply
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.study.prompts import asked, whole_prompt
from schemas.evalset import as_words
from schemas.study_cases import FindingsAnswer, StudyCase
from schemas.study_loading import LoadedStudy


def require_sound_cases(loaded: LoadedStudy) -> None:
    """InputError where a right reply would not score in full, or one that only repeats the question would."""
    problems = [
        Problem(str(loaded.folder), 0, "", f"the case {case.id} with the text `{text}` {fault}")
        for case in loaded.cases
        for text in loaded.study.texts
        for fault in _faults(loaded, case, text)
    ]
    if problems:
        raise InputError(problems, "Change the case: what it measures now is not what it means to.")


def _faults(loaded: LoadedStudy, case: StudyCase, text: str) -> Iterator[str]:
    if case.is_judged or case.is_work:
        return  # tried by its judge, or by its own commands, before the first cell
    prompt = whole_prompt(loaded, Cell(text, loaded.study.bound_targets[0], case, 0))
    if _score(case, golden_reply(case.answer), prompt) != 1:
        yield "does not give its own answer the whole score"
    question = as_words(asked(loaded, case).input)
    nothing_to_find = isinstance(case.answer, FindingsAnswer) and not case.answer.planted
    if not nothing_to_find and _score(case, question, prompt) == 1:
        yield "gives the whole score to its own question"


def _score(case: StudyCase, reply: str, prompt: str) -> float | None:
    try:
        return score_reply(case.answer, reply, prompt).score
    except Unreadable:
        return None
