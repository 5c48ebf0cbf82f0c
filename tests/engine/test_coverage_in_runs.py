"""Coverage as a run meets it: kept on disk, bound to text and cases, protecting what no case guards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from coverage_maps import COVERED, NEEDED, UNCOVERED, WHOLE, coverage, rule
from world import World, helps

from ceopt_tui.core.coverage_words import STALE
from ceopt_tui.engine.coverage import COVERAGE_NAME, carry_over, load_coverage, save_coverage, with_coverage
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.errors import StorageError


def inputs(tmp_path: Path) -> RunInputs:
    plain = World(tmp_path, helps("be exact")).inputs()
    return replace(plain, text_digest="t", measurement_digest="m", protect=("Rules",), approval_lines=("Metric",))


def test_the_map_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    assert load_coverage(tmp_path) is None
    assert load_coverage(tmp_path / "nowhere") is None
    path = save_coverage(tmp_path, WHOLE)
    assert (path.name, load_coverage(tmp_path)) == (COVERAGE_NAME, WHOLE)
    assert [entry.name for entry in tmp_path.iterdir()] == [COVERAGE_NAME]


@pytest.mark.parametrize("damage", ["", "{", "{}", '{"version": 2}', "[]", "\x00"])
def test_a_damaged_map_is_no_missing_one(tmp_path: Path, damage: str) -> None:
    (tmp_path / COVERAGE_NAME).write_text(damage)
    with pytest.raises(StorageError, match="not known which rules it protects"):
        load_coverage(tmp_path)


def test_rules_that_no_case_guards_are_protected_and_named(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), WHOLE, protect=True)
    assert found.protect == ("Rules", "r-2")
    assert found.coverage == WHOLE
    assert found.approval_lines[0] == "Metric" and any("line 2: Rule 2." in line for line in found.approval_lines)


def test_rules_that_could_not_be_measured_are_protected_too(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), coverage(COVERED, NEEDED, rule(7, "unmeasured")), protect=True)
    assert found.protect == ("Rules", "r-7")


def test_a_spec_may_say_that_nothing_is_protected(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), coverage(UNCOVERED), protect=False)
    assert found.protect == ("Rules",)
    assert any("not protected" in line for line in found.approval_lines)


@pytest.mark.parametrize("other", [{"text_digest": "u"}, {"measurement_digest": "n"}])
def test_a_map_of_another_text_or_other_cases_protects_nothing(tmp_path: Path, other: dict[str, str]) -> None:
    found = with_coverage(inputs(tmp_path), coverage(UNCOVERED, **other), protect=True)
    assert (found.protect, found.coverage, found.approval_lines) == (("Rules",), None, ("Metric", STALE))


def test_without_a_map_nothing_changes(tmp_path: Path) -> None:
    plain = inputs(tmp_path)
    assert with_coverage(plain, None, protect=True) == plain


def test_a_run_that_starts_afresh_keeps_the_map(tmp_path: Path) -> None:
    archived, folder = tmp_path / "old", tmp_path / "new"
    archived.mkdir()
    carry_over(archived, folder)
    assert not folder.exists()
    save_coverage(archived, WHOLE)
    carry_over(archived, folder)
    assert load_coverage(folder) == WHOLE


async def test_the_report_shows_the_map_of_this_text(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    await world.tick()
    with_map = report_markdown(world.state, world.terms, WHOLE)
    assert "## Which rules the cases guard" in with_map and "`-.~?`" in with_map
    assert "Which rules the cases guard" not in report_markdown(world.state, world.terms)
