"""Coverage as a run meets it: kept on disk, bound to text and cases, protecting what no case guards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from coverage_maps import COVERED, NEEDED, UNCOVERED, WHOLE, coverage, rule
from world import World, helps

from ceopt_tui.core.coverage_carried import RuleAt, carried
from ceopt_tui.core.coverage_words import UNMEASURED
from ceopt_tui.engine.coverage import COVERAGE_NAME, carry_over, load_coverage, save_coverage, with_coverage
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.errors import StorageError

RULES = [RuleAt("p.md", f"r-{number}", number, f"Rule {number}.") for number in (1, 2, 3, 4)]


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
    found = with_coverage(inputs(tmp_path), WHOLE, RULES, protect=True)
    assert found.protect == ("Rules", "r-2")
    assert found.coverage == WHOLE
    assert found.approval_lines[0] == "Metric" and any("line 2: Rule 2." in line for line in found.approval_lines)


def test_rules_that_could_not_be_measured_are_protected_too(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), coverage(COVERED, NEEDED, rule(7, "unmeasured")), RULES, protect=True)
    assert found.protect == ("Rules", "r-7")


def test_a_spec_may_say_that_nothing_is_protected(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), coverage(UNCOVERED), RULES, protect=False)
    assert found.protect == ("Rules",)
    assert any("not protected" in line for line in found.approval_lines)


@pytest.mark.parametrize("other", [{"text_digest": "u"}, {"measurement_digest": "n"}])
def test_a_map_of_an_earlier_text_or_other_cases_protects_what_it_protected(
    tmp_path: Path, other: dict[str, str]
) -> None:
    found = with_coverage(inputs(tmp_path), coverage(UNCOVERED, **other), [RULES[1]], protect=True)
    assert found.protect == ("Rules", "r-2")
    assert any("line 2: Rule 2." in line for line in found.approval_lines)


def test_rules_that_the_map_cannot_tell_of_are_protected_and_called_unknown(tmp_path: Path) -> None:
    older = coverage(COVERED, UNCOVERED, text_digest="u")
    found = with_coverage(inputs(tmp_path), older, RULES[:3], protect=True)
    assert found.protect == ("Rules", "r-2", "r-3")
    told = "\n".join(found.approval_lines)
    assert "line 3: Rule 3. (unknown)" in told and "line 2: Rule 2.\n" in told
    assert "1 rule unknown to the map" in told and "`ceopt coverage SPEC`" in told


def test_with_other_cases_no_rule_counts_as_guarded_any_more(tmp_path: Path) -> None:
    otherwise = coverage(COVERED, UNCOVERED, NEEDED, measurement_digest="n")
    found = with_coverage(inputs(tmp_path), otherwise, [RULES[0], RULES[1], RULES[3]], protect=True)
    assert found.protect == ("Rules", "r-1", "r-2")
    assert "1 rule unknown to the map: the map was measured with other cases" in "\n".join(found.approval_lines)


def test_without_a_map_the_approval_says_that_nothing_is_protected(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), None, RULES, protect=True)
    assert (found.protect, found.coverage) == (("Rules",), None)
    assert UNMEASURED in found.approval_lines and "ceopt coverage SPEC" in found.approval_lines[-1]


def test_pruning_without_protection_names_every_rule_that_may_go(tmp_path: Path) -> None:
    found = with_coverage(inputs(tmp_path), None, RULES, protect=False, pruning=True)
    assert found.protect == ("Rules",)
    assert all(f"line {one.line}: {one.text}" in "\n".join(found.approval_lines) for one in RULES)
    ordinary = with_coverage(inputs(tmp_path), None, RULES, protect=False)
    assert "no rule protected (`coverage: off`)" in ordinary.approval_lines[-1]


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
    assert "unknown to the map" not in with_map
    older = carried(coverage(UNCOVERED), RULES[:3], text_digest="u", measurement_digest="m")
    told = report_markdown(world.state, world.terms, older)
    assert "2 rules unknown to the map: not in the map: added or changed since it was measured" in told
