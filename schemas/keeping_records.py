"""Records of what stands between a confirmed change and its keep: readings, parked proposals, a person's last words."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.record import Record


class ReadRemark(BaseModel):
    """One thing to look at in a change; `line` counts from 1 in the new text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    message: str
    line: int | None = None


class WinnerRead(Record):
    """A confirmed change was read before it is kept unattended. `reader` is the model, empty where guards alone read.

    A reading that is not `usable` says in `reason` why, and decides nothing.
    """

    kind: Literal["winner_read"] = "winner_read"
    number: int
    reader: str = ""
    usable: bool = True
    reverted: bool = False
    reason: str = ""
    missing_observation: str = ""  # what the measurement would have to see for this not to win
    remarks: tuple[ReadRemark, ...] = ()


class ProposalParked(Record):
    """A confirmed change that only a person may keep; its evidence is what is on record of the experiment."""

    kind: Literal["proposal_parked"] = "proposal_parked"
    number: int
    cause: Literal["broken", "unread", "remarks", "ended"]
    reason: str


class ProposalSettled(Record):
    """A person's word on a parked proposal; `again`: the text moved on meanwhile, so it is measured anew."""

    kind: Literal["proposal_settled"] = "proposal_settled"
    number: int
    decision: Literal["accepted", "refused", "again"]
    reason: str = ""


class DependenciesDecided(Record):
    """What ideas may rely on that the spec does not approve, decided in bulk."""

    kind: Literal["dependencies_decided"] = "dependencies_decided"
    approved: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class WrapUpChosen(Record):
    """What a person wants done with the outcome, and what came of it; where it `failed` they are asked again."""

    kind: Literal["wrap_up_chosen"] = "wrap_up_chosen"
    choice: Literal["apply", "pull_request", "continue", "done"]
    detail: str = ""
    failed: bool = False
