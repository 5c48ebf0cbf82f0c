"""`ceopt study release`: a draft, then the layout of its file, then the next version; a bad one changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fakes import FakeClock
from study_project import CHECKLIST, PLAIN, commit_all, hypothesis, make_study

from ceopt_tui.commands.study import command
from ceopt_tui.errors import InputError
from ceopt_tui.study.layout import laid_out, next_version
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.starting import Surroundings, run_study

HEAD = "---\nname: signs\nversion: 1.2.9\n---\n\n"


async def measured(folder: Path, *, target: str = PLAIN, **texts: str) -> tuple[Path, Path]:
    """A measured study, and the committed file that its text is for."""
    written = {"plain": PLAIN, "checklist": CHECKLIST, **texts}
    root = make_study(folder, written=written, k=1, hypotheses=[hypothesis()])
    file = folder / "prompts" / "reader.md"
    file.parent.mkdir()
    file.write_bytes(target.encode())
    commit_all(root)
    await run_study(plan_study(root, {}), Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None))
    return root, file


def release(root: Path, file: Path, text: str, *more: str) -> Result:
    words = ["release", str(root), "--text", text, "--to", str(file), *more]
    return CliRunner().invoke(command, words, standalone_mode=False)


async def test_a_better_text_goes_in_with_the_layout_of_its_file(tmp_path: Path) -> None:
    target = ("\ufeff" + HEAD + PLAIN).replace("\n", "\r\n")
    root, file = await measured(tmp_path, target=target, plain=HEAD + PLAIN)
    ended = release(root, file, "checklist")
    assert ended.return_value == 0, ended.exception
    assert "version 1.2.10" in ended.output
    wanted = "\ufeff" + HEAD.replace("1.2.9", "1.2.10") + CHECKLIST
    assert file.read_bytes().decode() == wanted.replace("\n", "\r\n")


async def test_a_better_text_replaces_the_one_it_was_measured_against(tmp_path: Path) -> None:
    root, file = await measured(tmp_path)
    ended = release(root, file, "checklist")
    assert ended.return_value == 0, ended.exception
    assert file.read_text("utf-8") == CHECKLIST
    assert (root / "artifacts" / "run" / "drafts" / "checklist.md").read_text("utf-8") == CHECKLIST
    assert "improved" in ended.output and "commit it" in ended.output


async def test_a_worse_text_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    root, file = await measured(tmp_path, target=CHECKLIST)
    ended = release(root, file, "plain")
    assert ended.return_value == 5 and "is as it was: plain is worse" in ended.output
    assert file.read_text("utf-8") == CHECKLIST


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (CHECKLIST + "\nUse the office `per", "truncated"),
        (CHECKLIST + "\nkey sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH\u200b\n", "character"),
    ],
)
async def test_what_a_guard_refuses_is_not_put_in(text: str, fault: str, tmp_path: Path) -> None:
    root, file = await measured(tmp_path, bad=text)
    with pytest.raises(InputError) as caught:
        raise release(root, file, "bad").exception or AssertionError("it was put in")
    assert fault in str(caught.value)
    assert file.read_text("utf-8") == PLAIN


async def test_lines_that_are_too_many_and_changes_that_are_not_committed_are_refused(tmp_path: Path) -> None:
    root, file = await measured(tmp_path)
    assert "at most 3 are allowed" in str(release(root, file, "checklist", "--max-lines", "3").exception)
    file.write_text(PLAIN + "Mine.\n", encoding="utf-8")
    assert "changes that are not committed" in str(release(root, file, "checklist").exception)
    commit_all(root)
    assert "no text of the study is what" in str(release(root, file, "checklist").exception)
    assert "the study has no text `new`" in str(release(root, file, "new").exception)
    assert file.read_text("utf-8") == PLAIN + "Mine.\n"


@pytest.mark.parametrize(
    ("target", "draft", "after"),
    [
        ("Old.\n", "New.\n\n", "New.\n"),
        ("Old.", "New.\n", "New."),
        ("Old.\r\nTwo.\r\n", "New.\nTwo.\n", "New.\r\nTwo.\r\n"),
        ("\ufeffOld.\n", "New.\n", "\ufeffNew.\n"),
        (HEAD + "Old.\n", "New.\n", "---\nname: signs\nversion: 1.2.10\n---\n\nNew.\n"),
        (HEAD + "Old.\n", "---\nname: signs\nversion: 0.1.0\nx: 1\n---\nNew.\n",
         "---\nname: signs\nversion: 1.2.10\nx: 1\n---\nNew.\n"),
        (HEAD + "Old.\n", "---\nname: signs\n---\nNew.\n", "---\nname: signs\nversion: 1.2.10\n---\nNew.\n"),
    ],
)  # fmt: skip
def test_a_draft_takes_the_layout_of_its_file(target: str, draft: str, after: str) -> None:
    assert laid_out(draft, target, "patch") == after


def test_the_next_version_keeps_its_quotes() -> None:
    assert next_version("---\nversion: '1.2.3'\n---\n", "minor") == "'1.3.0'"
    assert next_version("---\nversion: 1.2.3\n---\n", "major") == "2.0.0"
    assert next_version("---\nversion: 1.2\n---\n", "patch") is None
    assert next_version("No front matter.", "patch") is None
