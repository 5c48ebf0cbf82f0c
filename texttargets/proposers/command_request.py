"""What a proposer's command is asked: one JSON file and the target files, made of the brief and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ceopt_tui.core.ports import Brief, Refusal, SelectionCase
from schemas.spec_target import REQUEST_NAME

REQUEST_VERSION = 1


def write_request(folder: Path, brief: Brief, refused: Sequence[Refusal], *, timeout_s: float) -> None:
    """Puts the request and the present texts into an empty folder."""
    asked = json.dumps(request_of(brief, refused, timeout_s=timeout_s), indent=1)  # ASCII: inputs may hold half emoji
    (folder / REQUEST_NAME).write_text(asked + "\n", encoding="ascii")
    for path, text in brief.texts.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8"))


def request_of(brief: Brief, refused: Sequence[Refusal], *, timeout_s: float) -> dict[str, Any]:
    """The request as plain values. Cases of themes that a person dismissed are not in it."""
    return {
        "version": REQUEST_VERSION,
        "name": brief.name,
        "description": brief.description,
        "texts": dict(brief.texts),
        "cases": [_case(item) for item in brief.selection if item.case.id not in brief.set_aside],
        "constraints": list(brief.constraints),
        "protect": list(brief.protect),
        "syntax": brief.syntax,
        "seed": brief.seed,
        "timeout_s": timeout_s,
        "digest": brief.digest,
        "tried": [
            {"description": one.description, "category": one.category, "outcome": one.outcome, "reason": one.reason}
            for one in brief.tried
        ],
        "refused": [{"code": one.code, "message": one.message, "line": one.line} for one in refused],
    }


def _case(item: SelectionCase) -> dict[str, Any]:
    """A case without its check: patterns and rubrics are for the judge of the text, not for its writer."""
    case = item.case
    return {
        "id": case.id,
        "input": case.input,
        "expected": case.expected,
        "observed": case.observed,
        "went_wrong": case.went_wrong,
        "outputs": list(item.outputs),
        "pass_rate": item.pass_rate,
        "score": item.score,
        "detail": item.detail,
        "feedback": list(item.feedback),
    }
