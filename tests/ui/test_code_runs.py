"""A run that a command measures, in the app: watched, its changes reviewed and kept, every key harmless."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from command_run_world import CommandRun, Edit, command_terms
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

DIFF = """\
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,2 @@
 def total(rows):
-    return sum([row.price for row in rows])
+    return sum(row.price for row in rows)
"""


class Shown(CommandRun):
    """Diffs that look like some, and cases of which one is fixed and one regresses."""

    def __post_init__(self) -> None:
        super().__post_init__()
        make, run = self.maker.make, self.bench.run

        async def made(recipe):  # type: ignore[no-untyped-def]
            change = await make(recipe)
            return replace(change, diff=DIFF, files=("src/a.py",))

        async def printed(commit, workload, slot, censor_after_s):  # type: ignore[no-untyped-def]
            found = await run(commit, workload, slot, censor_after_s)
            changed = commit != "base"
            cases = {
                "empty list": {"passed": changed, "score": float(changed)},
                "large list": {"passed": True},
                "rounding": {"passed": not changed},
            }
            return replace(found, cases=cases)

        self.maker.make, self.bench.run = made, printed  # type: ignore[method-assign]


def staged(folder: Path, *edits: Edit) -> Stage:
    world = Shown(folder / "faster", edits=edits, terms=replace(command_terms(batch=1), attended=True), approved=False)
    stage = Stage(folder, world)
    stage.entry = replace(stage.entry, name="faster", terms=world.terms)
    stage.listed = [stage.entry]
    world.clock = stage.clock
    return stage


@pytest.mark.parametrize(
    ("size", "wide"), [((80, 24), ""), pytest.param((120, 40), "-wide", marks=pytest.mark.exhaustive)]
)
async def test_a_change_of_code_is_reviewed_and_kept(tmp_path: Path, size: tuple[int, int], wide: str) -> None:
    stage = staged(tmp_path, Edit(60), Edit(120))
    async with on_stage(stage, size=size, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app))
        check_picture(app, f"code-keep{wide}")
        await pilot.press("2")
        await until(pilot, lambda: "+    return sum(row.price" in text_of(app))
        await pilot.press("3")
        await until(pilot, lambda: "empty list" in text_of(app) and "rounding" in text_of(app))
        check_picture(app, f"code-cases{wide}")
        await pilot.press("4")
        await until(pilot, lambda: "60" in text_of(app) and "-40.0%" in text_of(app))
        check_picture(app, f"code-evidence{wide}")
        await pilot.press("e", "1", "down", "enter")
        await until(pilot, lambda: "What now?" in text_of(app))
        check_picture(app, f"code-wrap-up{wide}")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "✓ finished" in text_of(app))
        assert stage.world.shelf.applied == [("base", "c1")]
        check_picture(app, f"code-run{wide}")
        await pilot.press("k", "enter")
        await until(pilot, lambda: "1 Summary" in text_of(app) and "exp-001" in text_of(app))
        await pilot.press("3")
        await until(pilot, lambda: "regressed" in text_of(app))


@pytest.mark.exhaustive
@pytest.mark.parametrize("moment", ["new", "ended"])
async def test_no_key_of_the_run_screen_breaks_on_code(tmp_path: Path, moment: str) -> None:
    stage = staged(tmp_path, Edit(60))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        if moment == "ended":
            await pilot.press("down", "enter")
            await until(pilot, lambda: "Start optimizing?" in text_of(app))
            await pilot.press("down", "enter")
            await until(pilot, lambda: "Keep this change?" in text_of(app))
            await pilot.press("down", "enter")
            await until(pilot, lambda: "What now?" in text_of(app))
            await pilot.press("up", "enter")
            await until(pilot, lambda: "✓ finished" in text_of(app))
        else:
            await pilot.press("escape")
        for key in "rpbdtmvawxf/?jk":
            await pilot.press(key)
            await pilot.pause()
            await pilot.press("escape")
            await pilot.pause()
        assert app.is_running
    assert app.return_code in (None, 0)
