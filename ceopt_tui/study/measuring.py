"""A study measured as far as it goes, and its reports written where they are whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_tui.study.outputs import read_replies
from ceopt_tui.study.places import write_new
from ceopt_tui.study.planning import StudyPlan
from ceopt_tui.study.report_markdown import markdown
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import Surroundings, run_study


@dataclass(frozen=True)
class MeasuredStudy:
    """What was found, as values, for people, and for programs; `written` are the files of it."""

    found: Mapping[str, Any]
    text: str
    data: str
    written: tuple[Path, ...]


async def measure(plan: StudyPlan, around: Surroundings, *, fresh: bool = False) -> MeasuredStudy:
    """Runs what is not settled. Of a part of a study no file is written: what was left out is missing in it."""
    found = report_of(plan.loaded, await run_study(plan, around, fresh=fresh), read_replies(plan.folder))
    text, data = markdown(found), json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    endings = ((".md", text), (".json", data)) if found["complete"] else ()
    written = tuple(write_new(plan.folder, "report", ending, content.encode()) for ending, content in endings)
    return MeasuredStudy(found, text, data, written)
