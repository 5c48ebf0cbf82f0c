"""What a cell sends: the snapshot of its text, and the question of its case. No answer, no name of a text."""

from __future__ import annotations

from collections.abc import Mapping

from ceopt_tui.core.study.cells import Cell
from schemas.evalset import Case
from schemas.study_cases import StudyCase
from schemas.study_loading import LoadedStudy
from texttargets.runners.case_messages import case_messages

TEXT = "text"  # every variant goes by this name, which is not sent


def snapshot(loaded: LoadedStudy, cell: Cell) -> Mapping[str, str]:
    """The text of a cell, from the bytes that were read when the study was."""
    return {TEXT: loaded.text(loaded.study.texts[cell.text])}


def asked(loaded: LoadedStudy, case: StudyCase) -> Case:
    """The question of a case: its input, and its material behind it."""
    parts = [case.input or "", loaded.text(case.material) if case.material is not None else ""]
    return Case(id=case.id, input="\n\n".join(part for part in parts if part))


def whole_prompt(loaded: LoadedStudy, cell: Cell) -> str:
    """All that is sent for a cell, as one text."""
    messages = case_messages(snapshot(loaded, cell), asked(loaded, cell.case), "system", "none")
    return "\n\n".join(message.content for message in messages)
