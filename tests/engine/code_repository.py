"""A small repository of code with a measuring script, and what its recipe looks like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from triage_project import git

from ceopt_tui.core.command_ports import Recipe
from ceopt_tui.gitops.repository import Repository

FILES = {
    "src/sort.py": "slow\n",
    "src/more.py": "more\n",
    "measure.sh": "echo '{\"ms\": 1}'\n",
    "cases/held.json": "[1]\n",
}


def code_repository(folder: Path) -> Repository:
    """A repository with one commit on main."""
    root = folder / "repo"
    root.mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".gitignore").write_text("*.pyc\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    return Repository.find(root)


def recipe(repository: Repository, number: int = 1, **more: Any) -> Recipe:
    branch, base = f"optimize-exp/fast/exp-{number:03d}", repository.resolve("main")
    made = Recipe("fast", number, branch, base, "Make it fast", f"Idea {number}", "speed", ("src",))
    return replace(made, **more)


def worktree_count(repository: Repository) -> int:
    return repository.git("worktree", "list", "--porcelain").count("worktree ")
