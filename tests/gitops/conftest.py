"""Real repositories, some made by the scripts of the field cases, with nobody's own git settings."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from real_repositories import no_wait, run

from ceopt_tui.gitops.repository import Repository

FIELD = Path(__file__).parents[1] / "data" / "field"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def field(tmp_path: Path) -> Callable[[str], Path]:
    """Makes the repository of a field case."""

    def make(case: str) -> Path:
        root = tmp_path / case
        subprocess.run(["sh", FIELD / f"{case}_setup.sh", root], check=True, stdout=subprocess.DEVNULL)
        return root

    return make


@pytest.fixture
def root(field: Callable[[str], Path]) -> Path:
    """A repository with an edit that is not committed and an untracked file."""
    return field("B33")


@pytest.fixture
def repository(root: Path) -> Repository:
    return Repository.find(root, wait=no_wait)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Repository]:
    """Makes a repository that holds the given files."""

    def made(files: dict[str, bytes], settings: Sequence[str] = ()) -> Repository:
        root = tmp_path / "made"
        run(tmp_path, "init", "-q", "-b", "main", str(root))
        for setting in ("user.name=Ada", "user.email=ada@example.com", *settings):
            run(root, "config", *setting.split("=", 1))
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        run(root, "add", "-A")
        run(root, "commit", "-qm", "base")
        return Repository.find(root, wait=no_wait)

    return made
