"""What is read from a user's files for a judge: the rubric in a file or the spec, its scale, a sample of the cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from judged_project import RUBRIC, make_judged

from ceopt_tui.errors import InputError
from ceopt_tui.inputs import Project, digests, open_project, run_inputs, split_of, terms_of
from ceopt_tui.judging_parts import lacking
from ceopt_tui.named_files import is_file_name
from judges.rubric import PASS_FAIL, Scale
from schemas.labels import Binding, LabelEntry, bound_labels
from schemas.labels_file import labels_yaml

WAIVED = "calibration: {waived: none here}"


def opened(folder: Path, judge: str = WAIVED, *, rubric: str = "rubric.md", cases: int = 20) -> Project:
    """The judged project with these keys of its judge."""
    folder.mkdir(parents=True, exist_ok=True)
    place = make_judged(folder, "http://127.0.0.1:1/v1", judge=judge, cases=cases)
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text("utf-8").replace("rubric: rubric.md", f"rubric: {rubric}"), "utf-8")
    return open_project(spec)


def inline(text: str) -> str:
    return "|\n" + "".join(f"      {line}\n" for line in text.splitlines())


def test_a_rubric_in_the_spec_is_the_same_as_one_in_a_file(tmp_path: Path) -> None:
    in_file, in_spec = opened(tmp_path / "a"), opened(tmp_path / "b", rubric=inline(RUBRIC))
    assert in_file.rubric is not None and in_file.rubric == in_spec.rubric
    assert in_file.rubric.text.splitlines() == RUBRIC.splitlines()
    assert digests(in_file)[1] == digests(in_spec)[1]
    first, second = (terms_of(one, attended=True, usd_per_run=None).judge for one in (in_file, in_spec))
    assert first is not None and second is not None and first.rubric_digest == second.rubric_digest


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("rubric.md", True),
        (" judging/r.TXT\n", True),
        ("Be brief.", False),
        ("5: good\n1: bad", False),
        ("see notes.md", False),
    ],
)
def test_one_line_that_ends_like_a_text_file_names_one(written: str, file: bool) -> None:
    assert is_file_name(written) is file


def test_a_rubric_in_a_file_of_its_own_is_among_the_files_to_put_back(tmp_path: Path) -> None:
    bound = run_inputs(opened(tmp_path / "a"), ()).bound_files
    assert set(bound) == {"spec.yaml", "evals/notes.yaml", "rubric.md"} and bound["rubric.md"] == RUBRIC.encode()
    assert set(run_inputs(opened(tmp_path / "b", rubric=inline(RUBRIC)), ()).bound_files) == set(bound) - {"rubric.md"}


def test_a_rubric_that_is_not_there_is_said_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        opened(tmp_path, rubric="judging/nowhere.md")
    (problem,) = caught.value.problems
    assert problem.key == "metric.judge.rubric" and problem.line == 8
    assert "judging/nowhere.md is not there" in problem.message


@pytest.mark.parametrize("place", ["rubric", "singleton"])
def test_another_word_in_a_rubric_is_another_measurement_and_another_approval(tmp_path: Path, place: str) -> None:
    keys = f"{WAIVED}\n    singleton_rubric: alone.md"
    before, after = tmp_path / "a", tmp_path / "b"
    found = []
    for folder, changed in ((before, ""), (after, " Mind the tone.")):
        folder.mkdir()
        root = make_judged(folder, "http://127.0.0.1:1/v1", judge=keys).root
        texts = {"rubric.md": RUBRIC, "alone.md": "5: whole\n1: nothing\n"}
        named = "rubric.md" if place == "rubric" else "alone.md"
        texts[named] += changed
        for name, text in texts.items():
            (root / name).write_text(text, "utf-8")
        found.append(digests(open_project(root / "spec.yaml")))
    assert found[0][0] != found[1][0] and found[0][1] != found[1][1]


def test_pass_and_fail_is_a_scale_of_two(tmp_path: Path) -> None:
    project = opened(tmp_path, f'{WAIVED}\n    scale: "Pass/Fail "')
    assert project.rubric is not None and project.rubric.scale == PASS_FAIL
    terms = terms_of(project, attended=False, usd_per_run=None)
    assert (terms.lowest, terms.span, terms.pass_at) == (0.0, 1.0, 1.0)
    assert terms.judge is not None and terms.judge.two_level


def test_a_scale_of_levels_says_where_an_output_passes(tmp_path: Path) -> None:
    project = opened(tmp_path, f'{WAIVED}\n    scale: "0-10"\n    pass_at: 7')
    assert project.rubric is not None and project.rubric.scale == Scale(0, 10)
    terms = terms_of(project, attended=False, usd_per_run=None)
    assert (terms.lowest, terms.span, terms.pass_at) == (0.0, 10.0, 7.0)
    assert terms.judge is not None and not terms.judge.two_level


def test_without_a_sample_every_case_is_judged(tmp_path: Path) -> None:
    split = split_of(opened(tmp_path))
    assert len(split.selection) + len(split.holdout) == 20


def sizes(split: tuple[Sequence[str], Sequence[str]]) -> tuple[int, int]:
    return len(split[0]), len(split[1])


def test_a_sample_is_drawn_on_both_sides_by_seed_and_keeps_their_order(tmp_path: Path) -> None:
    whole = split_of(opened(tmp_path / "all"))
    sides = {}
    for name, seed in (("a", "sample_seed: 1"), ("again", "sample_seed: 1"), ("b", "sample_seed: 2")):
        split = split_of(opened(tmp_path / name, f"{WAIVED}\n    sample_size: 6\n    {seed}"))
        sides[name] = (split.selection, split.holdout)
    assert sides["a"] == sides["again"] != sides["b"]
    for selection, holdout in sides.values():
        assert sizes((selection, holdout)) == (6, 6)
        assert [case for case in whole.selection if case in selection] == list(selection)
        assert [case for case in whole.holdout if case in holdout] == list(holdout)


def test_the_held_out_sample_has_a_seed_of_its_own(tmp_path: Path) -> None:
    keys = f"{WAIVED}\n    sample_size: 6\n    sample_seed: 1"
    same = split_of(opened(tmp_path / "a", keys))
    other = split_of(opened(tmp_path / "b", f"{keys}\n    confirmation_seed: 9"))
    assert same.selection == other.selection and same.holdout != other.holdout


def test_strata_come_first_and_the_rest_is_drawn_from_all(tmp_path: Path) -> None:
    tmp_path.mkdir(exist_ok=True)
    keys = f"{WAIVED}\n    sample_size: 5\n    stratification: [{{bucket: hard, count: 2}}]\n"
    keys += "    singleton_sample: 1\n    singleton_rubric: Judge it whole."
    root = make_judged(tmp_path, "http://127.0.0.1:1/v1", judge=keys, cases=24).root
    evals = root / "evals" / "notes.yaml"
    lines = evals.read_text("utf-8").splitlines()
    sides = {number: "selection" if number % 2 else "holdout" for number in range(24)}
    hard, alone = {0, 1, 4, 5, 8, 9}, {2, 3}
    for place, line in enumerate(lines):
        if "{id: n" in line:
            number = int(line.split("{id: n")[1][:2])
            tags = "hard" if number in hard else "singleton" if number in alone else "plain"
            lines[place] = line.rstrip("}") + f", split: {sides[number]}, tags: [{tags}]}}"
    evals.write_text("\n".join(lines) + "\n", "utf-8")
    split = split_of(open_project(root / "spec.yaml"))
    for side in (split.selection, split.holdout):
        numbers = {int(case[1:]) for case in side}
        assert len(numbers) == 5 and len(numbers & hard) >= 2 and len(numbers & alone) == 1


def test_exemplars_that_the_project_lacks_are_named(tmp_path: Path) -> None:
    assert lacking(opened(tmp_path / "all")) == ()
    root = make_judged_without_bad(tmp_path / "none")
    (missing,) = lacking(open_project(root / "spec.yaml"))
    assert "metric.judge.exemplars.bad" in missing


def make_judged_without_bad(folder: Path) -> Path:
    folder.mkdir()
    root = make_judged(folder, "http://127.0.0.1:1/v1").root
    evals = root / "evals" / "notes.yaml"
    evals.write_text(re.sub(r", observed: '[^']*'", "", evals.read_text("utf-8")), "utf-8")
    return root


def test_labels_beside_the_spec_are_read_and_a_broken_file_is_said(tmp_path: Path) -> None:
    root = make_judged(tmp_path, "http://127.0.0.1:1/v1", judge="calibration: {labels: notes.labels.yaml}").root
    spec, file = root / "spec.yaml", root / "notes.labels.yaml"
    assert open_project(spec).labels is None
    entry = LabelEntry(input="a", output="b", person=4, judge=(4,))
    file.write_text(labels_yaml(bound_labels(Binding("digest", "judge"), [entry])), "utf-8")
    terms = terms_of(open_project(spec), attended=False, usd_per_run=None)
    assert terms.judge is not None and terms.judge.labels is not None and len(terms.judge.labels.labels) == 1
    file.write_text("version: 1\nlabels: 3\n", "utf-8")
    with pytest.raises(InputError, match=r"notes\.labels\.yaml"):
        open_project(spec)
