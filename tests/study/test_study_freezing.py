"""A study that reaches a model is registered first: declared, current and committed bytes agree, or a file is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_project import commit_all, git, make_study

from ceopt_tui.errors import InputError, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.study.freezing import FREEZE_NAME, freeze, manifest_of, require_frozen
from schemas.study_loading import load_study

FILES = ["study.yaml", "hypotheses.yaml", "cases/all.yaml", "variants/plain.md", "variants/checklist.md"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Frozen and committed."""
    root = make_study(tmp_path)
    freeze(load_study(root))
    commit_all(root)
    return root


def require(root: Path) -> object:
    return require_frozen(load_study(root), Repository.find(root))


def test_a_frozen_and_committed_study_names_its_commit(study: Path) -> None:
    found = require_frozen(load_study(study), Repository.find(study))
    assert found is not None and found.commit == git(study, "rev-parse", "HEAD").strip()


def test_later_commits_of_other_files_change_nothing(study: Path) -> None:
    (study.parents[1] / "other.txt").write_text("x", encoding="utf-8")
    commit_all(study)
    assert require(study)


@pytest.mark.parametrize("name", FILES)
def test_a_byte_that_changed_since_it_was_frozen_is_refused(study: Path, name: str) -> None:
    path = study / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InputError, match=f"{name} was changed since it was frozen"):
        require(study)
    commit_all(study)
    with pytest.raises(InputError, match=f"{name} was changed since it was frozen"):
        require(study)


@pytest.mark.parametrize("name", FILES)
def test_what_was_frozen_and_not_committed_is_refused(study: Path, name: str) -> None:
    path = study / name
    path.write_bytes(path.read_bytes() + b"\n")
    freeze(load_study(study))
    with pytest.raises(InputError) as raised:
        require(study)
    assert {Path(problem.file).name for problem in raised.value.problems} == {Path(name).name, FREEZE_NAME}


def test_staged_is_not_committed(study: Path) -> None:
    (study / "variants" / "plain.md").write_text("Other.\n", encoding="utf-8")
    freeze(load_study(study))
    git(study, "add", "--all")
    with pytest.raises(InputError, match=r"variants/plain\.md: is not what the commit"):
        require(study)


def test_a_study_that_is_not_frozen_is_refused_and_one_of_stand_ins_is_exempt(study: Path) -> None:
    (study / FREEZE_NAME).unlink()
    with pytest.raises(InputError, match="the study is not frozen"):
        require(study)
    assert require_frozen(load_study(study), None) is None


def test_a_study_of_stand_ins_that_is_frozen_holds_to_it(study: Path) -> None:
    assert require_frozen(load_study(study), None) is None
    (study / "variants" / "plain.md").write_text("Other.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"variants/plain\.md was changed"):
        require_frozen(load_study(study), None)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"files": 1, "values": 2}', b"\xff"])
def test_a_manifest_that_is_none_is_refused(study: Path, raw: bytes) -> None:
    (study / FREEZE_NAME).write_bytes(raw)
    with pytest.raises(InputError, match="is not what `ceopt study freeze` wrote"):
        require(study)


def test_a_manifest_that_was_written_otherwise_is_refused(study: Path) -> None:
    path = study / FREEZE_NAME
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InputError, match="the file itself was changed"):
        require(study)


def test_outside_of_git_nothing_is_registered(tmp_path: Path) -> None:
    root = make_study(tmp_path)
    with pytest.raises(SetupError):
        Repository.find(root)


def test_a_fingerprint_is_of_all_inputs_and_of_the_output(study: Path) -> None:
    manifest = manifest_of(load_study(study))
    assert set(FILES) == set(manifest.files)
    assert {"scorers", "runners", "seed", "k", "budget", "target strong", "target weak"} == set(manifest.values)
    assert manifest.fingerprint("run") == manifest_of(load_study(study)).fingerprint("run")
    assert manifest.fingerprint("run") != manifest.fingerprint("other")
