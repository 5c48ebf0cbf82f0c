"""What the journal of a study holds: what was registered, each attempt before it is made, and how it ended."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.record import CallFacts, Record


class StudyRegistered(Record):
    """The head of a study's journal: everything that decides its results."""

    kind: Literal["study_registered"] = "study_registered"
    fingerprint: str
    files: dict[str, str]  # path from the study's folder -> sha256
    values: dict[str, str]  # everything else: versions, seed, output
    commit: str | None = None  # that holds these bytes; none where no model is reached
    committed_at: str = ""


class CellStarted(Record):
    """One attempt at a cell; on disk before anything is sent. `usd` is what it counts until its end is known."""

    kind: Literal["cell_started"] = "cell_started"
    attempt: str
    cell: str
    usd: float | None = None
    calls: int = 0  # requests it may send at most


class CellScored(Record):
    """An attempt whose reply was scored, 0 to 1."""

    kind: Literal["cell_scored"] = "cell_scored"
    attempt: str
    score: Annotated[float, Field(ge=0, le=1)]
    detail: str = ""
    reply_sha256: str
    facts: CallFacts | None = None
    judged: CallFacts | None = None  # what its judge cost, all calls together
    regression: float | None = None  # the share of commands that still pass, beside hidden ones
    word_search: float | None = None  # what a search for words gives, beside a judge of recall
    kept: bool = False  # the reply can be read among the outputs


class CellFailed(Record):
    """An attempt that gives no score. `retryable`: its cell may yet succeed; `stopped`: the study ended with it."""

    kind: Literal["cell_failed"] = "cell_failed"
    attempt: str
    reason: Literal["provider", "stopped", "truncated", "unreadable", "pipeline", "judge"]
    message: str
    retryable: bool
    reply_sha256: str | None = None
    facts: CallFacts | None = None
    judged: CallFacts | None = None
    kept: bool = False


class TargetProbed(Record):
    """Whether a program ran apart from this machine, tried before its first cell of a start. `why` says what failed.

    The model only writes a word into its folder; all else is tried by a script of ours in the same sandbox.
    """

    kind: Literal["target_probed"] = "target_probed"
    attempt: str
    target: str
    cell_write: bool = False  # it could write in its own folder
    host_read_blocked: bool = False  # files of the operator and of the study
    sibling_read_blocked: bool = False  # the folder of another cell
    host_write_blocked: bool = False
    host_config_unchanged: bool = False  # the operator's, after the program ran
    runtime_removed: bool = False  # its folders were gone at its end
    why: str = ""
    facts: CallFacts | None = None

    @property
    def attested(self) -> bool:
        """Did all six hold?"""
        return all(
            (
                self.cell_write,
                self.host_read_blocked,
                self.sibling_read_blocked,
                self.host_write_blocked,
                self.host_config_unchanged,
                self.runtime_removed,
            )
        )


class JudgeTried(Record):
    """The judge on replies that are known to be good, each against one that says nothing. `ordered`: put above it.

    It holds for this judge and these rubrics alone, which `digest` stands for, and enters no other figure.
    """

    kind: Literal["judge_tried"] = "judge_tried"
    attempt: str
    digest: str
    ordered: int
    cases: int
    facts: CallFacts | None = None


class StudyStopped(Record):
    """No more calls were made, and why: a cap, or a provider that gave no more answers."""

    kind: Literal["study_stopped"] = "study_stopped"
    reason: str


StudyRecord = Annotated[
    StudyRegistered | CellStarted | CellScored | CellFailed | TargetProbed | JudgeTried | StudyStopped,
    Field(discriminator="kind"),
]
STUDY_RECORDS: TypeAdapter[StudyRecord] = TypeAdapter(StudyRecord)
