"""Looking at real repositories from outside ceopt: plain git, and a picture of everything that is the user's."""

import subprocess
from pathlib import Path

NAME = "support-triage"


def no_wait(_: float) -> None:
    """Takes the place of sleeping."""


def run(root: Path, *args: str, input: bytes | None = None) -> str:
    return subprocess.run(["git", *args], cwd=root, input=input, stdout=subprocess.PIPE, check=True).stdout.decode()


def users_state(root: Path) -> dict[str, object]:
    """Everything of the user's that no operation may change: HEAD, branches, index, settings, every byte on disk."""
    ours = ("refs/heads/optimize/", "refs/heads/optimize-exp/", "refs/heads/optimize-archive/")
    refs = run(root, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".context"} & set(path.relative_to(root).parts)
    }
    return {
        "head": (root / ".git" / "HEAD").read_bytes(),
        "index": (root / ".git" / "index").read_bytes(),
        "config": (root / ".git" / "config").read_bytes(),
        "hooks": sorted(path.name for path in (root / ".git" / "hooks").iterdir()),
        "refs": [ref for ref in refs if not ref.startswith(ours)],
        "files": files,
    }
