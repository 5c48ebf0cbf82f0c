"""Has a confirmed change read before it is kept unattended, and puts what its readers say on record. Decides nothing."""

from __future__ import annotations

from ceopt_tui.core.plan.actions import ReadWinner
from ceopt_tui.core.reading_ports import ChangeToRead
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.engine.text_diff import text_diff
from schemas.keeping_records import ReadRemark, WinnerRead


def remarks_on(state: RunState, parts: Parts, experiment: ExperimentState) -> tuple[ReadRemark, ...]:
    """What shows in a candidate's text without a model."""
    assert experiment.text_digest is not None
    before, after = state.texts[experiment.started.base_digest], state.texts[experiment.text_digest]
    return tuple(parts.remarker(before, after))


async def read_winner(recorder: Recorder, inputs: RunInputs, parts: Parts, action: ReadWinner) -> None:
    """One reading: by the guards alone, or by a model as well where one may read."""
    state = recorder.state
    experiment = state.experiments[action.number]
    remarks = remarks_on(state, parts, experiment)
    if parts.reader is None:
        await recorder.commit(WinnerRead(number=action.number, remarks=remarks))
        return
    assert experiment.text_digest is not None
    diff = text_diff(state.texts[experiment.started.base_digest], state.texts[experiment.text_digest])
    change = ChangeToRead(inputs.description, inputs.constraints, diff, action.attempt)
    reading = await parts.reader.read(change)
    await recorder.commit(
        WinnerRead(
            number=action.number,
            reader=parts.reader.model,
            usable=not reading.unusable,
            reverted=reading.reverted,
            reason=reading.unusable or reading.reason,
            missing_observation=reading.missing_observation,
            remarks=remarks,
        )
    )
