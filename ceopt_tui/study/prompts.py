"""What a cell sends: the snapshot of its text, and the question of its case. No answer, no name of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ceopt_tui.core.study.cells import Cell
from schemas.evalset import Case
from schemas.study import PROGRAMS, SKILL_FILE, text_kind
from schemas.study_cases import StudyCase
from schemas.study_loading import LoadedStudy
from texttargets.runners.case_messages import case_messages
from texttargets.runners.chat import reference_block

TEXT = "text"  # every variant goes by this name, which is not sent
_PLACES = {"prompt": TEXT, "agents": "AGENTS.md"}
_NAMED = re.compile(r"^name:[ \t]*[\"']?([A-Za-z0-9][A-Za-z0-9._-]{0,63})", re.MULTILINE)


def snapshot(loaded: LoadedStudy, cell: Cell) -> Mapping[str, str]:
    """The text of a cell with what lies beside it, from the bytes that were read when the study was.

    For a program they are files by their place; a chat call has no folder, and is told all of them in one text.
    """
    path = loaded.study.texts[cell.text]
    text, beside = loaded.text(path), loaded.references(cell.text)
    if cell.target.harness not in PROGRAMS:
        return {TEXT: text + "".join(reference_block(*reference) for reference in beside.items())}
    kind = text_kind(path)
    if kind != "skill":
        return {_PLACES[kind]: text}
    named = _NAMED.search(text)  # the folder of a variant would tell its arm
    folder = named.group(1) if named else "skill"
    return {f"{folder}/{SKILL_FILE}": text, **{f"{folder}/{name}": words for name, words in beside.items()}}


def own_text(texts: Mapping[str, str]) -> str:
    """The place of the text itself in a snapshot."""
    return next((place for place in texts if place.rpartition("/")[2] == SKILL_FILE), next(iter(texts)))


def asked(loaded: LoadedStudy, case: StudyCase) -> Case:
    """The question of a case: its input, and its material behind it."""
    parts = [case.input or "", loaded.text(case.material) if case.material is not None else ""]
    return Case(id=case.id, input="\n\n".join(part for part in parts if part))


def whole_prompt(loaded: LoadedStudy, cell: Cell) -> str:
    """All that is sent for a cell, as one text; what lies beside a skill is part of it where it is sent too."""
    texts = snapshot(loaded, cell)
    own = own_text(texts)
    messages = case_messages({own: texts[own]}, asked(loaded, cell.case), "system", "none")
    return "\n\n".join(message.content for message in messages)
