"""Runs the measuring command and has its outputs judged; every sample is on record before the next is taken."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.command_ports import Printed
from ceopt_tui.core.plan.actions import CommandSample
from ceopt_tui.core.state.commands import Place
from ceopt_tui.engine.command.workplace import Workplace
from schemas.command_records import CommandJudged, CommandMeasured


async def measure(place: Workplace, samples: Sequence[CommandSample], title: str) -> None:
    """Sample after sample, until one gives no numbers or the time is up."""
    for done, sample in enumerate(samples):
        if place.late():
            return
        place.progress(title, done, len(samples))
        # Both sides have a checkout of their own: built files of one are not there for the other.
        slot = 2 * (sample.experiment or 0) + (sample.arm == "candidate")
        printed = await place.tools.bench.run(sample.commit, sample.workload, slot, sample.censor_after_s)
        await place.recorder.commit(_measured(sample, printed, place.tools.bench.machine))
        place.progress(title, done + 1, len(samples))
        if printed.status != "ok":
            return


def _measured(sample: CommandSample, printed: Printed, machine: str) -> CommandMeasured:
    return CommandMeasured(
        commit=sample.commit,
        step=sample.step,
        pairing=sample.pairing,
        arm=sample.arm,
        sample=sample.sample,
        workload=sample.workload,
        experiment=sample.experiment,
        status=printed.status,
        values=dict(printed.values),
        cases=None if printed.cases is None else dict(printed.cases),
        items=tuple(dict(item) for item in printed.items),
        elapsed_s=printed.elapsed_s,
        message=printed.message,
        machine=machine,
        usd=printed.usd,
    )


async def judge(place: Workplace, sample: CommandSample) -> None:
    """Has a draw of the items of one sample scored; held out it is another draw of the same output."""
    assert place.tools.judge is not None
    again = sample.workload == "holdout" and place.terms.second_sample
    side = Place(sample.commit, sample.experiment, sample.pairing, sample.workload, sample.arm)
    taken = place.state.commands.taken(side.on("selection") if again else side)
    measured = next(one for one in taken if one.sample == sample.sample)
    seed = place.tools.confirmation_seed if again else place.tools.sample_seed
    scores, by_item, unscored, calls = await place.tools.judge.score(measured.items, seed)
    await place.recorder.commit(
        CommandJudged(
            commit=sample.commit,
            pairing=sample.pairing,
            arm=sample.arm,
            sample=sample.sample,
            workload=sample.workload,
            experiment=sample.experiment,
            scores=dict(scores),
            by_item=dict(by_item),
            unscored=unscored,
            calls=tuple(calls),
        )
    )
