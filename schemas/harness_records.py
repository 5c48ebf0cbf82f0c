"""Journal records about the eval set itself: checks that say nothing of a text, and harder cases to add."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.record import Record

Fault = Literal["never_fails", "never_passes", "needs_tools"]


class FlaggedCase(BaseModel):
    """A case whose check cannot tell outputs apart. `reason` speaks of the check and quotes no output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case_id: str
    fault: Fault
    reason: str


class HarnessExamined(Record):
    """Every check was tried on the baseline's outputs; flagged cases count for nothing from here on."""

    kind: Literal["harness_examined"] = "harness_examined"
    outputs: int  # different ones it was tried on
    flagged: tuple[FlaggedCase, ...] = ()


class CaseIdea(BaseModel):
    """A harder case in one sentence, and where it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Literal["confusion", "boundary", "rule"]
    text: str


class DraftedCase(BaseModel):
    """A case a model wrote. Its answer is the model's word until a person confirms it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: str | dict[str, str]
    expected: str
    why: str = ""


class CasesProposed(Record):
    """What to add where the cases leave nothing to gain. `note` says why no model wrote any, where one was asked."""

    kind: Literal["cases_proposed"] = "cases_proposed"
    ideas: tuple[CaseIdea, ...] = ()
    drafts: tuple[DraftedCase, ...] = ()
    model: str = ""  # that wrote the drafts
    note: str = ""
