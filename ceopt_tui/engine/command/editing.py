"""From ideas to commits: who has them, who carries them out, what is put on top of what, and who reads it first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ceopt_tui.core.command_ports import Busy, Made, Recipe, Workers
from ceopt_tui.core.ports import ProposalRefused
from ceopt_tui.core.reading_ports import ChangeToRead
from ceopt_tui.engine.command.recipe import recipe_for_ideas, recipe_of
from ceopt_tui.engine.command.workplace import Workplace
from ceopt_tui.engine.ideas import idea_record
from ceopt_tui.errors import ProposalError
from schemas.command_records import ChangeCombined, ChangeMade, Dispatched
from schemas.idea_key import idea_key
from schemas.keeping_records import WinnerRead
from schemas.records import BacklogClosed, CandidateRefused, Committed

BUSY_S = 10.0  # before somebody who had no room is asked again


async def hypothesize(place: Workplace, generation: int, digest: str, active_s: float) -> None:
    """Fills the backlog for the current best; an empty round closes it."""
    state, source = place.state, place.tools.maker.name
    recipe = recipe_for_ideas(state, place.inputs, place.parts, digest)
    try:
        drafts = await place.tools.maker.ideas(recipe, place.parts.terms.ideas_per_round)
    except ProposalError as error:
        note = error.message
        failed = BacklogClosed(generation=generation, added=0, note=note, active_s=active_s, failed=True)
        await place.recorder.commit(failed)
        return
    known = {idea.key for idea in state.hypotheses.values()}
    fresh = [draft for draft in drafts if idea_key(draft.move, draft.parameters) not in known]
    first, approved = len(state.hypotheses) + 1, state.waiting.approved.union(place.inputs.approved_dependencies)
    records = [idea_record(one, f"h{first + at:03d}", source, generation, approved) for at, one in enumerate(fresh)]
    left_by_a_kill = sum(idea.generation == generation and idea.source == source for idea in state.hypotheses.values())
    closed = BacklogClosed(generation=generation, added=left_by_a_kill + len(records), active_s=active_s)
    await place.recorder.commit(*records, closed)


async def make(place: Workplace, number: int, attempt: int, digest: str) -> None:
    """Has one hypothesis carried out, here or elsewhere; what may not be applied is refused with its reason."""
    hypothesis = place.state.experiments[number].hypothesis
    try:
        if earlier := hypothesis.parameters.get("experiment"):
            await _carry_over(place, number, int(earlier))
            return
        recipe = recipe_of(place.state, place.inputs, place.parts, number, digest)
        await place.recorder.commit(*await _made(place, recipe, attempt))
    except ProposalRefused as refused:
        refusals = [{"code": one.code, "message": one.message, "line": one.line} for one in refused.refusals]
        await _refuse(place, number, attempt, refusals)
    except ProposalError as error:
        await _refuse(place, number, attempt, [{"code": "proposal", "message": error.message, "line": None}])


async def _made(place: Workplace, recipe: Recipe, attempt: int) -> list[ChangeMade | Dispatched]:
    """Asks until somebody has room: a full house is no failed experiment."""
    while not place.late():
        try:
            if place.tools.workers is None:
                return [_change(recipe, await place.tools.maker.make(recipe))]
            return [await _dispatched(place, place.tools.workers, recipe, attempt)]
        except Busy:
            await place.tools.pause(BUSY_S)
    return []


async def _dispatched(place: Workplace, workers: Workers, recipe: Recipe, attempt: int) -> Dispatched:
    """Hands one experiment out. What an earlier run left at its ref is nobody's answer to this one."""
    ref = await workers.free_ref(recipe.branch)
    receipt = await workers.dispatch(recipe, ref)
    due = place.parts.clock.now() + timedelta(seconds=workers.deadline_s)
    return Dispatched(
        number=recipe.number,
        base_sha=recipe.base_sha,
        ref=ref,
        receipt=receipt,
        attempt=attempt,
        due_at=due.isoformat(timespec="seconds"),
    )


def _change(recipe: Recipe, made: Made) -> ChangeMade:
    return ChangeMade(
        number=recipe.number,
        commit=made.commit,
        files=tuple(made.files),
        diff=made.diff,
        note=made.note,
        made_by=made.made_by,
        calls=tuple(made.facts),
    )


async def _carry_over(place: Workplace, number: int, earlier: int) -> None:
    """An earlier change repeated on what is best now, for a person who wants it measured again."""
    onto = place.state.experiments[number].started.base_sha
    commit = await _combined(place, earlier, onto)
    if commit is None:
        raise ProposalError(f"exp-{earlier:03d} touches files that changed since")
    made = place.state.commands.changes[earlier].model_copy(update={"number": number, "commit": commit, "calls": ()})
    await place.recorder.commit(made)


async def combine(place: Workplace, number: int) -> None:
    """A runner-up's change on top of the best commit, as a commit no branch points to yet."""
    onto = place.state.commands.reference
    commit = await _combined(place, number, onto)
    reason = "" if commit else "both touch the same files"
    await place.recorder.commit(ChangeCombined(number=number, onto=onto, commit=commit, reason=reason))


async def _combined(place: Workplace, number: int, onto: str) -> str | None:
    experiment, change = place.state.experiments[number], place.state.commands.changes[number]
    message = f"optimize({place.inputs.name}): {experiment.hypothesis.description}"
    base = experiment.started.base_sha
    return await asyncio.to_thread(place.tools.shelf.combine, base, change.commit, onto, message)


async def keep(place: Workplace, number: int, commit: str, onto: str) -> None:
    """Moves the optimization branch to a change that was read and confirmed."""
    kept = await asyncio.to_thread(place.tools.shelf.keep, commit, onto)
    branch = place.parts.backend.branch
    await place.recorder.commit(Committed(number=number, text_digest=kept, commit=kept, branch=branch))


async def read(place: Workplace, number: int, attempt: int) -> None:
    """A change read by a model that did not write it: it sees the diff and what is wanted, and no number."""
    reader, change = place.parts.reader, place.state.commands.changes[number]
    assert reader is not None
    wanted = (place.inputs.description, place.inputs.constraints)
    reading = await reader.read(ChangeToRead(*wanted, change.diff, of_code=True, attempt=attempt))
    await place.recorder.commit(
        WinnerRead(
            number=number,
            reader=reader.model,
            usable=not reading.unusable,
            reverted=reading.reverted,
            reason=reading.unusable or reading.reason,
            missing_observation=reading.missing_observation,
        )
    )


async def _refuse(place: Workplace, number: int, attempt: int, refusals: Sequence[dict[str, Any]]) -> None:
    await place.recorder.commit(CandidateRefused(number=number, attempt=attempt, refusals=tuple(refusals)))
