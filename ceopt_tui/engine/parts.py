"""What one run is made of: its inputs as plain values and its parts behind the ports. Filled by wiring."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.core.command_ports import Bench, ItemsJudge, Maker, Shelf, Workers
from ceopt_tui.core.harness_ports import CaseProposer, HarnessExaminer
from ceopt_tui.core.judging_ports import Level, OutputJudge, ThemeMaker
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Asker, Backend, Clock, Guard, Proposer, Runner, Scorer
from ceopt_tui.core.reading_ports import ChangeReader, Remarker
from schemas.coverage import Coverage
from schemas.evalset import Case
from schemas.judging_records import RubricBound
from schemas.records import ModelBound, Probed, SplitFrozen


@dataclass(frozen=True)
class RunInputs:
    """The spec and all it points at, read once when the tick starts."""

    name: str
    description: str
    spec_file: str
    spec_bytes: bytes
    spec_digest: str
    approval_digest: str
    measurement_digest: str
    texts: Mapping[str, str]  # path in the repository -> exact content
    text_digest: str
    cases: Mapping[str, Case]
    split: SplitFrozen
    mutable: tuple[str, ...]
    immutable: tuple[str, ...]
    committed: tuple[str, ...]  # files that git must hold before the run
    seed: int
    bound_files: Mapping[str, bytes] = field(default_factory=dict)  # spec and what it points at, by place
    digest_before_holdout: str = ""  # the measurement digest of a spec that is the same but has no holdout yet
    syntax: str = "none"
    constraints: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    approved_dependencies: tuple[str, ...] = ()
    edits: int = 4
    command: str = ""  # what measures, where a command does
    goals: tuple[str, ...] = ()  # objectives in words
    approval_lines: tuple[str, ...] = ()  # metric, runner, models, caps: what a person approves, in words
    coverage: Coverage | None = None  # as far as it holds for these texts and cases


@dataclass(frozen=True)
class JudgeParts:
    """What a run has beyond the others when a model scores its outputs."""

    judge: OutputJudge
    rubric: RubricBound
    levels: tuple[Level, ...]
    prober: Callable[[], Awaitable[Sequence[Probed]]]
    themes: ThemeMaker


@dataclass(frozen=True)
class CommandParts:
    """What a run has instead of runner and scorer when a command measures."""

    bench: Bench
    maker: Maker
    shelf: Shelf
    workers: Workers | None = None  # where experiments are carried out elsewhere
    judge: ItemsJudge | None = None
    sample_seed: int = 42
    confirmation_seed: int = 0
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True)
class Parts:
    """The working parts of one tick."""

    terms: Terms
    runner: Runner
    scorer: Scorer
    proposer: Proposer
    guard: Guard
    prober: Callable[[Collection[str]], Sequence[Probed]]  # on all cases but these
    examiner: HarnessExaminer
    case_proposer: CaseProposer
    text_digest: Callable[[Mapping[str, str]], str]
    backend: Backend
    asker: Asker
    clock: Clock
    models: Sequence[ModelBound]
    concurrency: int
    state_folder: Path
    version: str
    remarks: Sequence[str] = ()  # about the spec; news to whoever reads the log, no limit of the evidence
    notes: Sequence[str] = field(default_factory=tuple)  # warnings of the parts; may grow while they work
    judging: JudgeParts | None = None
    command: CommandParts | None = None
    labels_file: Path | None = None  # where a person's scores of the judge's outputs are kept
    remarker: Remarker = lambda before, after: ()
    reader: ChangeReader | None = None  # never the model that writes the changes
    wake: str = ""  # the schedule that started this tick and will start the next one
