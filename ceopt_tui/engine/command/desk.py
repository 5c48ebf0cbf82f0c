"""Carries out what the planner asks for in a run that a command measures. Decides nothing.

Every result is a record before the next step is planned from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ceopt_tui.core.plan.actions import (
    Action,
    Advance,
    AwaitResults,
    Combine,
    Hypothesize,
    JudgeCommand,
    KeepCommit,
    MakeChange,
    MeasureCommand,
    Note,
    ReadWinner,
)
from ceopt_tui.core.plan.command.candidate import plan_candidate
from ceopt_tui.engine.command.collecting import ResultsAwaited, catch_up, collect
from ceopt_tui.engine.command.editing import combine, hypothesize, keep, make, read
from ceopt_tui.engine.command.sampling import judge, measure
from ceopt_tui.engine.command.workplace import Workplace

OWN = (
    Advance,
    MeasureCommand,
    JudgeCommand,
    MakeChange,
    AwaitResults,
    Combine,
    KeepCommit,
    Hypothesize,
    ReadWinner,
)


class CommandDesk:
    """The hands of a run that a command measures, for the length of one tick."""

    def __init__(self, place: Workplace) -> None:
        self._place = place

    def takes(self, action: Action) -> bool:
        """Is this an action of this desk, and not one that every run has?"""
        return isinstance(action, OWN)

    def tidy(self) -> None:
        """Removes the checkouts that were measured in, and branches of experiments that nobody will ask for again."""
        place = self._place
        place.tools.bench.clean()
        waiting = {proposal.number for proposal in place.state.waiting.proposals}
        for experiment in place.state.experiments.values():
            if experiment.closed and experiment.number not in waiting:
                place.tools.shelf.drop(experiment.number, experiment.started.branch)

    async def look_around(self) -> None:
        """Writes down what workers elsewhere delivered after nobody waited for it any more."""
        await catch_up(self._place)

    async def carry_out(self, action: Action, digest: str, active_s: float) -> None:
        """Does one thing and records what came of it."""
        place = self._place
        match action:
            case Note(records):
                await place.recorder.commit(*records)
            case Advance(numbers):
                await self._advance(numbers, digest)
            case MeasureCommand(samples, title):
                await measure(place, samples, title)
            case JudgeCommand(sample):
                await judge(place, sample)
            case Hypothesize(generation):
                await hypothesize(place, generation, digest, active_s)
            case MakeChange(number, attempt):
                await make(place, number, attempt, digest)
            case AwaitResults(numbers):
                await collect(place, numbers)
            case Combine(number):
                await combine(place, number)
            case ReadWinner(number, attempt):
                await read(place, number, attempt)
            case KeepCommit(number, commit, onto):
                await keep(place, number, commit, onto)

    async def _advance(self, numbers: Sequence[int], digest: str) -> None:
        """Each experiment on its own; the results of one never wait for another."""
        ended = await asyncio.gather(*(self._carry_on(one, digest) for one in numbers), return_exceptions=True)
        errors = [result for result in ended if isinstance(result, BaseException)]
        # What waits for workers must not hide what went wrong elsewhere.
        errors.sort(key=lambda error: isinstance(error, asyncio.CancelledError | ResultsAwaited))
        if errors:
            raise errors[0]

    async def _carry_on(self, number: int, digest: str) -> None:
        place = self._place
        while not place.late() and (action := plan_candidate(place.state, place.terms, number)):
            await self.carry_out(action, digest, 0.0)
