"""The eval set looked at through a run's own outputs: checks that say nothing, and cases that would ask for more."""

from __future__ import annotations

import asyncio

from ceopt_tui.engine.ideas import brief
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.errors import CeoptError, StorageError
from schemas.harness_records import CasesProposed, HarnessExamined


async def probe(recorder: Recorder, parts: Parts) -> None:
    """Tries thoughtless outputs on the judge, or on the checks of all cases that count."""
    if parts.judging:
        probed = await parts.judging.prober()
    else:
        probed = parts.prober({case.case_id for case in recorder.state.harness.flagged})
    await recorder.commit(*probed)


async def examine_checks(recorder: Recorder, inputs: RunInputs, parts: Parts) -> None:
    """Tries the checks of both sides on what the baseline gave. No held-out case has been run by then, or is."""
    state = recorder.state
    assert state.split is not None
    cases = [inputs.cases[case] for case in (*state.split.selection, *state.split.holdout)]
    outputs = frozenset(output for given in state.runs.outputs.values() for output in given)
    flagged = await asyncio.to_thread(parts.examiner, cases, outputs)
    await recorder.commit(HarnessExamined(outputs=len(outputs), flagged=tuple(flagged)))


async def propose_cases(recorder: Recorder, inputs: RunInputs, parts: Parts, digest: str) -> None:
    """Puts harder cases on record. What they would have cost or where a model failed holds up no report."""
    coverage = inputs.coverage
    unguarded = [rule.idea for rule in coverage.unguarded if rule.idea] if coverage else []
    known = brief(recorder.state, inputs, parts.terms, digest)
    try:
        proposed = await parts.case_proposer.propose(known, unguarded)
    except StorageError:
        raise
    except CeoptError as error:
        proposed = CasesProposed(note=error.message)
    await recorder.commit(proposed)
