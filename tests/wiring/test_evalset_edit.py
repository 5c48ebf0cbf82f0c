"""A draft of an eval set: steps and steps back, saving, and a file that another program wrote meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError, StorageError
from ceopt_tui.evalset_edit import ChangedOnDiskError, Draft, new_id, open_draft

TEXT = """\
name: triage
check: {type: number}
cases:
  - {id: a, input: one, expected: "1"}  # first
  - {id: b, input: two, expected: "2"}
  - {id: c, input: three, expected: "3"}
"""


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    path = tmp_path / "cases.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return open_draft(path)


def ids(draft: Draft) -> list[str]:
    return [case.id for case in draft.evalset.cases]


def save(draft: Draft) -> bool:
    written, kept = draft.write()
    draft.saved(written)
    return kept


def test_every_change_is_one_step_back(draft: Draft) -> None:
    assert draft.change("a", observed="7") and not draft.change("a", observed="7")
    draft.remove("b")
    assert draft.add(input="Four, please", expected="4") == "four-please"
    assert ids(draft) == ["a", "c", "four-please"] and draft.changed
    assert draft.undo() == "the new case four-please" and draft.undo() == "the removal of b"
    assert draft.undo() == "the change of a" and draft.undo() == ""
    assert not draft.changed and not draft.can_undo


def test_what_makes_no_case_is_refused_and_changes_nothing(draft: Draft) -> None:
    with pytest.raises(InputError, match="must be a number"):
        draft.change("a", expected="many")
    with pytest.raises(InputError, match="needs something that goes in"):
        draft.add(expected="4")
    assert not draft.changed and not draft.can_undo


def test_saving_keeps_the_steps_back_and_what_came_after(draft: Draft) -> None:
    draft.remove("a")
    written, kept = draft.write()
    draft.change("c", expected="33")  # while the file is being written
    draft.saved(written)
    assert kept and draft.changed and "id: a" not in draft.loaded.file.read_text("utf-8")
    assert draft.undo() == "the change of c" and not draft.changed
    assert draft.undo() == "the removal of a" and draft.changed
    assert save(draft) and ids(draft) == ["b", "c", "a"] and not draft.changed
    assert open_draft(draft.loaded.file).evalset == draft.evalset


def test_a_file_that_changed_meanwhile_is_not_overwritten(draft: Draft) -> None:
    file = draft.loaded.file
    draft.change("a", expected="11")
    draft.remove("b")
    draft.add(input="new", expected="5")
    theirs = TEXT.replace('"3"', '"33"') + '  - {id: d, input: four, expected: "4"}\n'
    file.write_text(theirs, encoding="utf-8")
    with pytest.raises(ChangedOnDiskError):
        draft.write()
    assert file.read_text("utf-8") == theirs
    assert draft.take_up(open_draft(file).loaded) == []
    assert save(draft)
    assert [(case.id, case.expected) for case in draft.evalset.cases] == [
        ("a", "11"), ("c", "33"), ("d", "4"), ("new", "5"),
    ]  # fmt: skip


def test_where_both_changed_a_case_ours_stands_and_none_is_lost(draft: Draft) -> None:
    file = draft.loaded.file
    draft.change("a", expected="11")
    draft.remove("b")
    draft.change("c", expected="33")
    theirs = (
        TEXT.replace('"1"', '"111"').replace('"2"', '"22"').replace('  - {id: c, input: three, expected: "3"}\n', "")
    )
    file.write_text(theirs, encoding="utf-8")
    assert draft.take_up(open_draft(file).loaded) == ["a", "b", "c"]
    assert [(case.id, case.expected) for case in draft.evalset.cases] == [("a", "11"), ("b", "22"), ("c", "33")]
    assert not draft.can_undo and draft.changed


def test_a_file_that_is_gone_is_written_again(draft: Draft) -> None:
    draft.change("a", expected="11")
    draft.loaded.file.unlink()
    assert save(draft) and draft.loaded.file.is_file()


def test_a_link_stays_a_link(draft: Draft, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(draft.loaded.file)
    linked = open_draft(link)
    linked.change("a", expected="11")
    assert save(linked) and link.is_symlink() and open_draft(draft.loaded.file).evalset == linked.evalset


def test_a_disk_that_refuses_leaves_file_and_draft(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr("ceopt_tui.evalset_edit.write_atomic", refuse)
    draft.change("a", expected="11")
    with pytest.raises(StorageError):
        draft.write()
    assert draft.changed and draft.loaded.file.read_text("utf-8") == TEXT


def test_changes_can_be_given_up(draft: Draft) -> None:
    draft.change("a", expected="11")
    draft.forget()
    assert not draft.changed and not draft.can_undo


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I bought this in March, can I still", "i-bought-this-in-march-can"),
        ("荷物が 届かない", "荷物が-届かない"),
        ("?!", "case"),
    ],
)
def test_an_id_comes_from_the_first_words(text: str, name: str) -> None:
    assert new_id(text, ()) == name
    assert new_id(text, (name, f"{name}-2")) == f"{name}-3"
