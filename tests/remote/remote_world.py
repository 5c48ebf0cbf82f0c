"""A repository, a bare hub beside it, and workers with clones of their own: real git, everything in one process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from triage_project import git

from ceopt_tui.core.command_ports import Edited, Recipe
from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.gitops.hub import Hub
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.remote.job import carry_out
from ceopt_tui.remote.payload import read_payload
from ceopt_tui.remote.workers import GitWorkers
from schemas.spec import Spec

SPEC = Spec.model_validate(
    {
        "name": "faster",
        "description": "Less work",
        "metric": {
            "primary": {"type": "hard", "name": "work", "direction": "minimize"},
            "degenerate_gates": [{"name": "right", "check": "== 1"}],
        },
        "measurement": {
            "command": "sh measure.sh",
            "stability": {"mode": "repeat", "repeat_count": 2, "comparison": {"method": "paired"}},
            "holdout": {"command": "sh held-out.sh"},
        },
        "scope": {"mutable": ["src"], "immutable": ["measure.sh"]},
        "execution": {"backend": "remote"},
    }
)
MEASURE = 'printf \'{"work": %s, "right": true}\\n\' "$(cat src/work)"\n'
EXP = "optimize-exp/faster/exp-001"


@dataclass
class Writes:
    """An editor that writes files."""

    files: dict[str, str]
    name: str = "writes"

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        return []

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return Edited("writes")


@dataclass
class Sent:
    """A dispatcher that keeps what it was handed."""

    name: str = "test"
    payloads: list[bytes] = field(default_factory=list)

    async def send(self, payload: bytes, number: int, ref: str) -> str:
        self.payloads.append(payload)
        return f"job {number}"

    async def failure(self, number: int) -> str:
        return ""


@dataclass
class Yard:
    """All of it."""

    root: Path
    hub: Path
    folder: Path
    sent: Sent = field(default_factory=Sent)

    @classmethod
    def made(cls, folder: Path) -> Yard:
        root, hub = folder / "repo", folder / "hub.git"
        (root / "src").mkdir(parents=True)
        (root / "src" / "work").write_text("100")
        (root / "measure.sh").write_text(MEASURE)
        git(root, "init", "--quiet", "--initial-branch=main")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "start")
        git(folder, "init", "--quiet", "--bare", str(hub))
        git(root, "remote", "add", "origin", str(hub))
        return cls(root, hub, folder / "state")

    @property
    def base(self) -> str:
        return git(self.root, "rev-parse", "HEAD").strip()

    def workers(self) -> GitWorkers:
        repository = Repository.find(self.root)
        return GitWorkers(repository, Hub(repository, "origin"), self.sent, SPEC, self.folder / "results", 100.0)

    def recipe(self, pairs: int = 2) -> Recipe:
        return Recipe(
            name="faster",
            number=1,
            branch=EXP,
            base_sha=self.base,
            description="Less work",
            hypothesis="do less",
            category="algorithm",
            mutable=("src",),
            pairs=pairs,
        )

    async def deliver(self, files: dict[str, str], worker: str = "w1") -> str:
        """One worker does what it was handed, honestly."""
        payload = read_payload(self.sent.payloads[-1])
        place = self.folder / worker
        place.mkdir(parents=True)
        try:
            return await carry_out(payload, Writes(files), place, {"PATH": "/usr/bin:/bin"}, worker)
        finally:
            shutil.rmtree(place)

    def push(self, change: Callable[[Path], None], ref: str = EXP) -> None:
        """Somebody pushes what they like."""
        clone = self.folder / "forged"
        git(self.root, "clone", "--quiet", str(self.hub), str(clone))
        git(clone, "fetch", "--quiet", "origin", f"+refs/heads/{ref}:refs/heads/taken")
        git(clone, "checkout", "--quiet", "taken")
        change(clone)
        git(clone, "push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{ref}")
        shutil.rmtree(clone)

    def at_hub(self) -> list[str]:
        return git(self.hub, "for-each-ref", "--format=%(refname:lstrip=2)").split()


def told(payload: bytes) -> str:
    """Everything a worker is handed, as text."""
    return json.dumps(json.loads(payload))
