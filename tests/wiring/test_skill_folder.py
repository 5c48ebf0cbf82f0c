"""What lies beside a skill belongs to what an agent runs: all of it, within limits, and nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from triage_project import git

from ceopt_tui import skill_folder
from ceopt_tui.errors import InputError
from ceopt_tui.inputs import digests, open_project, run_inputs

SPEC = """\
name: mail
description: Sort mail
target: {{files: [{file}]}}
evalset: {{file: evals.yaml}}
metric: {{primary: {{type: hard, name: pass_rate, direction: maximize}}}}
runner: {{kind: {kind}, model: anthropic/claude-haiku-4-5}}
"""
FILES = {
    "mail/scripts/run.sh": b"#!/bin/sh\r\n",
    "mail/logo.png": b"\x89PNG\xff\x00",
    "mail/__pycache__/run.pyc": b"x",
    "other/notes.md": b"not the skill's",
    "evals.yaml": b"name: e\ncases:\n"
    + b"".join(b"  - {id: c%d, input: i%d, expected: a}\n" % (n, n) for n in range(9)),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "other" / "SKILL.md").symlink_to("notes.md")
    (tmp_path / "mail" / "linked.md").symlink_to("../other/notes.md")
    (tmp_path / "mail" / "outside.md").symlink_to("/etc/passwd")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "start")
    return tmp_path


def spec(root: Path, kind: str = "claude", file: str = "mail/SKILL.md") -> Path:
    (root / file).write_text("---\nname: mail\n---\nSort.\n")
    path = root / "spec.yaml"
    path.write_text(SPEC.format(kind=kind, file=file))
    return path


def test_an_agent_gets_the_whole_folder_byte_for_byte_and_no_link_leads_out(root: Path) -> None:
    project = open_project(spec(root))
    assert list(project.references) == ["mail/linked.md", "mail/logo.png", "mail/scripts/run.sh"]
    assert project.references["mail/logo.png"].encode("utf-8", "surrogateescape") == FILES["mail/logo.png"]
    assert project.references["mail/scripts/run.sh"] == "#!/bin/sh\r\n"
    assert "mail/scripts/run.sh" in run_inputs(project, ()).immutable


def test_a_changed_script_is_another_measurement(root: Path) -> None:
    path = spec(root)
    before = digests(open_project(path))
    (root / "mail" / "scripts" / "run.sh").write_text("#!/bin/sh\nexit 1\n")
    assert digests(open_project(path))[1] != before[1]


def test_a_chat_run_sends_nothing_that_is_not_named_and_a_root_is_no_skills_folder(root: Path) -> None:
    assert open_project(spec(root, "chat")).references == {}
    assert open_project(spec(root, file="SKILL.md")).references == {}


@pytest.mark.parametrize("limit", ["MOST_FILES", "MOST_BYTES"])
def test_a_folder_past_the_limits_is_refused_by_name(root: Path, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skill_folder, limit, 1)
    with pytest.raises(InputError, match=r"mail: holds more than"):
        open_project(spec(root))
