"""What `ceopt lint` prints of a refusal."""

import os
from pathlib import Path

from click.testing import CliRunner, Result

from ceopt_tui.commands.lint import command
from ceopt_tui.errors import InputError

EVALSET = """\
name: shop
cases:
  - {id: t1, input: "Customer Quillon Vask asks for the blue kettle refund, order 8841", expected: Refund}
"""


def printed(folder: Path, before: str, after: str) -> str:
    (folder / "cases.yaml").write_text(EVALSET, encoding="utf-8")
    (folder / "before.md").write_text(before, encoding="utf-8")
    (folder / "after.md").write_text(after, encoding="utf-8")
    names = [os.fspath(folder / name) for name in ("before.md", "after.md", "cases.yaml")]
    return CliRunner().invoke(command, [*names[:2], "--evalset", names[2]], standalone_mode=False).output


def test_a_line_is_said_once(tmp_path: Path) -> None:
    said = printed(tmp_path, "Be short.\n", "Be short.\nQuillon Vask gets his order 8841 at once.\n")
    assert said.startswith("refused: leak: copies item t1 “Quillon Vask” (line 2, characters 10-22)")
    assert said.count("line 2") == 1


def test_a_line_the_message_lacks_is_added(tmp_path: Path) -> None:
    before = "---\nname: a\n---\nBe short.\n"
    assert printed(tmp_path, before, "Be short.\n") == "refused: front_matter: the front matter is gone (line 1)\n"


SPEC = """\
name: shop
description: Sort
target: {files: [before.md], protect: ["Legal"]}
evalset: {file: cases.yaml}
metric: {primary: {type: hard, name: pass_rate, direction: maximize}}
"""
LEGAL = "# Sort\n\nBe short.\n\n## Legal\n\nNever promise a refund.\n"


def test_a_text_that_the_spec_is_not_about_is_said_and_one_without_its_protected_part_refused(tmp_path: Path) -> None:
    printed(tmp_path, LEGAL, LEGAL.replace("short", "brief"))
    (tmp_path / "shop.spec.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "other.md").write_text(LEGAL, encoding="utf-8")
    (tmp_path / "bare.md").write_text("Be short.\n", encoding="utf-8")

    def said(before: str, after: str) -> Result:
        names = [os.fspath(tmp_path / name) for name in (before, after)]
        more = ["--spec", os.fspath(tmp_path / "shop.spec.yaml")]
        return CliRunner().invoke(command, [*names, *more], standalone_mode=False)

    own = said("before.md", "after.md")
    assert (own.stdout, own.stderr) == ("accepted\n", "")
    other = said("other.md", "after.md")
    assert other.stdout == "accepted\n" and "is about before.md; its limits were held against" in other.stderr
    bare = said("bare.md", "after.md")
    assert isinstance(bare.exception, InputError) and "the spec protects “Legal”" in str(bare.exception)
