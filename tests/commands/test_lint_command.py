"""What `ceopt lint` prints of a refusal."""

import os
from pathlib import Path

from click.testing import CliRunner

from ceopt_tui.commands.lint import command

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
