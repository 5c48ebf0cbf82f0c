"""What a run learns from every experiment: on record, in the report, before the proposer; nothing held out."""

from __future__ import annotations

from pathlib import Path

from fakes import FakeSkin, terms
from world import World, helps

from ceopt_tui.core.state.fold import fold
from ceopt_tui.engine.digest import DIGEST_NAME, LEARNINGS_SHOWN, digest_text
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.engine.telling import learnings
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import ExperimentClosed, ExperimentStarted, HypothesisAdded, Learnt

LINES = ("be kind", "be exact", "be brief")


async def test_every_experiment_leaves_what_it_taught_before_its_end(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=LINES)
    await world.tick()
    told = [record for record in world.skin.records if isinstance(record, Learnt | ExperimentClosed)]
    assert [(record.kind, record.number) for record in told] == [
        (kind, number) for number in world.state.experiments for kind in ("learnt", "experiment_closed")
    ]
    assert len(world.state.experiments) >= 2
    texts = [known.text for known in learnings(world.state)]
    assert texts[0].startswith("say: be kind (category 0): reverted; ")
    assert texts[1].startswith("say: be exact (category 1): kept; held up on unseen cases; fixed c02, c04, c08")
    report = report_markdown(world.state, world.terms)
    shown = report.split("## What this run learnt")[1].split("##")[0]
    assert [line.removeprefix("- ") for line in shown.strip().splitlines()] == texts


async def test_the_proposer_reads_what_was_learnt(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=LINES)
    await world.tick()
    first = learnings(world.state)[0].text
    assert first in (tmp_path / DIGEST_NAME).read_text(encoding="utf-8")
    assert first in world.proposer.briefs[-1].digest


async def test_a_persons_words_are_learnt_without_the_held_out_cases_they_name(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be exact",), approved=False, terms=terms(attended=True))
    held_out, selected = "c03", "c02"
    world.skin = FakeSkin(
        answers=["proceed", "proceed", f"refuse: it spoils {held_out}, not {selected}; c033 is no case"]
    )
    await world.tick()
    assert held_out in world.state.split.holdout and selected in world.state.split.selection  # type: ignore[union-attr]
    (known,) = learnings(world.state)
    assert known.text.startswith(
        "say: be exact (category 0): not confirmed; refused by a person: it spoils a held-out case, not c02; "
        "c033 is no case; the checks did not see it"
    )
    (tried,) = world.proposer.briefs[-1].tried
    for told in (tried.reason, digest_text(world.state, 1.0)):
        assert "it spoils a held-out case, not c02" in told and "c033 is no case" in told
    # The person's own words stand in the report, whole.
    assert f"it spoils {held_out}" in report_markdown(world.state, world.terms)


async def test_no_learning_names_a_held_out_case(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=LINES)
    await world.tick()
    kept = next(one.closed for one in world.state.experiments.values() if one.outcome == "kept")
    assert kept is not None and set(kept.fixed) & set(world.inputs().split.holdout)
    for known in world.state.learnings:
        assert not any(case in known.text for case in world.inputs().split.holdout)


async def test_a_kill_between_a_learning_and_its_end_says_it_once(tmp_path: Path) -> None:
    whole = World(tmp_path / "whole", helps("be exact"), lines=LINES)
    await whole.tick()
    records = replay(whole.folder / JOURNAL_NAME).records
    cut = next(place for place, record in enumerate(records) if record.kind == "experiment_closed")
    assert records[cut - 1].kind == "learnt"
    folder = tmp_path / "cut"
    folder.mkdir()
    lines = b"".join(record.model_dump_json().encode() + b"\n" for record in records[:cut])
    (folder / JOURNAL_NAME).write_bytes(lines)
    again = World(folder, helps("be exact"), lines=LINES)
    await again.tick()
    assert [known.text for known in again.state.learnings] == [known.text for known in whole.state.learnings]


def test_a_long_run_tells_the_last_learnings_and_for_good_what_a_person_refused() -> None:
    state = fold([])
    for number in range(1, LEARNINGS_SHOWN + 4):
        idea = HypothesisAdded(
            id=f"h{number}", description=f"idea {number}", category="wording", move="append", source="x"
        )
        started = ExperimentStarted(number=number, hypothesis_id=idea.id, base_digest="t", base_sha="b", branch="x")
        fold([idea, started, Learnt(number=number, text=f"fact {number}")], state)
    state.experiments[2].answers["keep-2"] = "refuse: too blunt"
    fold([Learnt(number=5, text="fact 5, at last")], state)
    told = digest_text(state, 1.0).split("## Learnings\n")[1].split("\n\n")[0].splitlines()
    assert told == [
        "- fact 2",
        *[f"- fact {n}" if n != 5 else "- fact 5, at last" for n in range(4, LEARNINGS_SHOWN + 4)],
    ]
