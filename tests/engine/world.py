"""A whole run on fakes: journal and engine are real, models, texts and git are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fakes import (
    FakeBackend,
    FakeCaseProposer,
    FakeClock,
    FakeProposer,
    FakeRunner,
    FakeSkin,
    cases,
    digest_of,
    exact,
    nothing_flagged,
    passed_probe,
    split_of,
    terms,
)

from ceopt_tui.core.harness_ports import HarnessExaminer
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.loop import Run, TickResult
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.session import open_session
from schemas.records import Approved

TEXT = {"prompt.md": "Answer.\n"}


@dataclass
class World:
    """Knobs of a run; `tick` may be called again and again on the same folder."""

    folder: Path
    answer: Callable[..., object]
    lines: tuple[str, ...] = ("be exact",)
    count: int = 20
    held_out: int = 10
    approved: bool = True
    terms: Terms = field(default_factory=terms)
    backend: FakeBackend = field(default_factory=FakeBackend)
    clock: FakeClock = field(default_factory=FakeClock)
    skin: FakeSkin = field(default_factory=FakeSkin)
    measurement_digest: str = "measured"
    examiner: HarnessExaminer = nothing_flagged
    approved_dependencies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.runner = FakeRunner(self.answer)  # type: ignore[arg-type]
        self.proposer = FakeProposer(self.lines)
        self.case_proposer = FakeCaseProposer()
        self.state = RunState()

    def inputs(self) -> RunInputs:
        known = cases(self.count)
        return RunInputs(
            name="fake",
            description="answer exactly",
            spec_file="spec.yaml",
            spec_bytes=b"name: fake\n",
            spec_digest="spec",
            approval_digest=self.terms.approval_digest,
            measurement_digest=self.measurement_digest,
            texts=TEXT,
            text_digest=digest_of(TEXT),
            cases=known,
            split=split_of(list(known), self.held_out),
            mutable=("prompt.md",),
            immutable=("evals.yaml",),
            committed=("prompt.md",),
            seed=7,
            approved_dependencies=self.approved_dependencies,
        )

    def parts(self) -> Parts:
        return Parts(
            terms=self.terms,
            runner=self.runner,
            scorer=exact,
            proposer=self.proposer,
            guard=lambda before, after: [],
            prober=passed_probe,
            examiner=self.examiner,
            case_proposer=self.case_proposer,
            text_digest=digest_of,
            backend=self.backend,
            asker=self.skin,
            clock=self.clock,
            models=(),
            concurrency=4,
            state_folder=self.folder,
            version="0",
        )

    async def tick(
        self, max_active_s: float | None = None, max_experiments: int | None = None, **parts: object
    ) -> TickResult:
        with open_session(self.folder, self.clock, self.skin.recorded) as session:
            self.state = session.state
            if self.approved and not session.state.approvals:
                caps, digest = self.terms.caps, self.terms.approval_digest
                await session.recorder.commit(
                    Approved(what="spec", digest=digest, caps=caps), Approved(what="baseline", digest=digest, caps=caps)
                )
            run = Run(session, self.inputs(), replace(self.parts(), **parts), self.skin.progress)
            return await run.tick(max_active_s, max_experiments)


def helps(*lines: str) -> Callable[..., str]:
    """A world where the text passes a case of three, and every case once it holds one of `lines`."""

    def answer(text: str, case: object, sample: int) -> str:
        number = int(case.id[1:])  # type: ignore[attr-defined]
        good = number % 3 == 0 or any(line in text for line in lines)
        return f"answer {number}" if good else "something else"

    return answer
