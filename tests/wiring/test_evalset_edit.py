"""A draft of an eval set: steps and steps back, saving, and a file that another program wrote meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError, StorageError
from ceopt_tui.evalset_edit import ChangedOnDiskError, Draft, open_draft
from ceopt_tui.evalset_merge import TakenUp, new_id

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
    assert not draft.changed and not draft.last


def test_what_makes_no_case_is_refused_and_changes_nothing(draft: Draft) -> None:
    with pytest.raises(InputError, match="must be a number"):
        draft.change("a", expected="many")
    with pytest.raises(InputError, match="needs something that goes in"):
        draft.add(expected="4")
    assert not draft.changed and not draft.last


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
    assert draft.take_up(open_draft(file).loaded) == TakenUp()
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
    assert draft.take_up(open_draft(file).loaded) == TakenUp(["a", "b", "c"])
    assert [(case.id, case.expected) for case in draft.evalset.cases] == [("a", "11"), ("b", "22"), ("c", "33")]
    assert draft.changed
    assert [draft.undo() for _ in range(3)] == ["the change of c", "the change of a", ""], "b came back by itself"
    assert [(case.id, case.expected) for case in draft.evalset.cases] == [("a", "111"), ("b", "22")]
    assert not draft.changed


def elsewhere(draft: Draft, text: str) -> TakenUp:
    """Another program writes the file, and the draft takes it up."""
    draft.loaded.file.write_text(text, encoding="utf-8")
    return draft.take_up(open_draft(draft.loaded.file).loaded)


def test_every_step_can_be_taken_back_after_the_file_was_taken_up(draft: Draft) -> None:
    draft.change("a", observed="7")
    draft.remove("b")
    draft.change("c", observed="8")
    draft.add(input="four", expected="4")
    draft.undo()
    elsewhere(draft, TEXT.replace("input: one", "input: uno"))
    draft.change("c", observed="9")
    assert ids(draft) == ["a", "c"] and draft.case("a") is not None
    for what in ("the change of c", "the change of c", "the removal of b", "the change of a"):
        assert draft.undo() == what
    assert not draft.changed and ids(draft) == ["a", "b", "c"]
    first = draft.case("a")
    assert first is not None and first.input == "uno" and first.observed is None, "theirs stays, mine is taken back"
    for _ in range(4):
        draft.redo()
    assert ids(draft) == ["a", "c"] and draft.case("c").observed == "9"  # type: ignore[union-attr]


def test_what_was_taken_back_can_be_made_again_also_on_a_new_file(draft: Draft) -> None:
    draft.change("a", observed="7")
    draft.remove("b")
    draft.undo()
    elsewhere(draft, TEXT + '  - {id: d, input: four, expected: "4"}\n')
    assert draft.next is not None and draft.redo() == "the removal of b" and draft.redo() == ""
    assert ids(draft) == ["a", "c", "d"]
    assert draft.undo() == "the removal of b" and draft.undo() == "the change of a" and not draft.changed
    draft.change("c", observed="1")
    assert draft.next is None, "another change ends it"


def test_a_new_case_whose_id_the_file_gave_away_has_another(draft: Draft) -> None:
    draft.add(input="four", expected="4")
    draft.change("four", observed="44")
    taken = elsewhere(draft, TEXT + '  - {id: four, input: IV, expected: "4"}\n')
    assert taken == TakenUp([], {"four": "four-2"}) and ids(draft) == ["a", "b", "c", "four", "four-2"]
    assert draft.undo() == "the change of four-2" and draft.undo() == "the new case four-2" and not draft.changed
    draft.redo()
    assert save(draft) and [case.input for case in open_draft(draft.loaded.file).evalset.cases][-2:] == ["IV", "four"]


def test_the_same_new_case_on_both_sides_is_one(draft: Draft) -> None:
    draft.add(input="four", expected="4")
    assert elsewhere(draft, TEXT + '  - {id: four, input: four, expected: "4"}\n') == TakenUp()
    assert ids(draft) == ["a", "b", "c", "four"] and not draft.changed and not draft.undo()


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
    assert not draft.changed and not draft.last


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
