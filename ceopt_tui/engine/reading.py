"""Has a confirmed change read before it is kept, and puts what its readers say on record. Decides nothing."""

from __future__ import annotations

from ceopt_tui.core.plan.actions import ReadWinner
from ceopt_tui.core.plan.reading import above_forecast
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


def reading_lines(state: RunState, parts: Parts, experiment: ExperimentState) -> list[str]:
    """What a person should look at in a diff, and what a model said that read it before; nothing where nothing is."""
    said = [f"Look at    {remark.message}" for remark in remarks_on(state, parts, experiment)]
    if above_forecast(experiment, parts.terms):
        said.append("Look at    it gained more than was thought possible when it began: read it slowly")
    for reading in state.waiting.readings.get(experiment.number, ()):
        if reading.reader:
            said.append(f"Read by    {reading.reader}: {_said(reading)}")
    return said


def _said(reading: WinnerRead) -> str:
    if not reading.usable:
        return f"no usable answer ({reading.reason})"
    return f"{'speaks against it' if reading.reverted else 'nothing against it'}: {reading.reason or 'no reason given'}"


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
    change = ChangeToRead(inputs.description, inputs.constraints, diff, attempt=action.attempt)
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
