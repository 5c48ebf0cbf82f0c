"""The cache on disk: plain text only, never in the way, shared, and private."""

from __future__ import annotations

import os
import pickle
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.core.ports import Message, ModelRequest, Price, ResolvedModel
from judges.cache import RefusedRow, ReplyCache, TextDisk, canonical_key
from judges.identity import request_key, restored_reply

PLANT = Path(__file__).parents[1] / "data" / "judges" / "plant_pickles.py"
MODEL = ResolvedModel("cheap", "openai/m", "openai", api_key="k" * 12, params={"temperature": 0})
REQUEST = ModelRequest("judge", MODEL, (Message("user", "hi"),), {"max_tokens": 10}, identity={"rubric": "a"})


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path, heard: list[str]) -> Iterator[ReplyCache]:
    cache = ReplyCache(tmp_path / "cache", heard.append)
    yield cache
    cache.close()


def database(cache: ReplyCache) -> sqlite3.Connection:
    return sqlite3.connect(cache.folder / "cache.db")


def test_what_is_put_is_got_also_by_another_process(cache: ReplyCache) -> None:
    value = {"text": 'line\nseparator\u2028 half \ud83d emoji "é"', "n": [1, None, 0.5]}
    cache.put("k", value)
    assert cache.get("k") == value
    other = ReplyCache(cache.folder)
    assert other.get("k") == value
    other.put("k2", {"text": "theirs"})
    other.close()
    assert cache.get("k2") == {"text": "theirs"}
    assert cache.get("absent") is None


def test_the_folder_is_private_also_when_it_was_not(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o755)
    ReplyCache(folder).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_planted_pickle_is_a_miss_and_does_not_run(cache: ReplyCache, heard: list[str], tmp_path: Path) -> None:
    for number in range(3):
        cache.put(str(number), {"text": "x"})
    marker = tmp_path / "marker"
    subprocess.run([sys.executable, str(PLANT), str(cache.folder), str(marker)], check=True)
    assert [cache.get(str(number)) for number in range(3)] == [None] * 3
    assert not marker.exists()
    assert len(heard) == 1
    cache.put("0", {"text": "anew"})
    assert cache.get("0") == {"text": "anew"}


@pytest.mark.parametrize(
    ("column", "value"),
    [("mode", 2), ("mode", 3), ("filename", "../../secret.txt"), ("value", b"bytes"), ("value", 7), ("value", None)],
)
def test_any_row_that_is_not_text_is_a_miss(cache: ReplyCache, column: str, value: object) -> None:
    cache.put("k", {"text": "x"})
    with database(cache) as connection:
        connection.execute(f"UPDATE Cache SET {column} = ?", (value,))
    connection.close()
    assert cache.get("k") is None


@pytest.mark.parametrize("text", ["", "{", "[1]", "7", "null"])
def test_text_that_is_no_entry_is_a_miss(cache: ReplyCache, text: str) -> None:
    cache.put("k", {"text": "x"})
    with database(cache) as connection:
        connection.execute("UPDATE Cache SET value = ?", (text,))
    connection.close()
    assert cache.get("k") is None


def test_no_row_is_ever_a_pickle_or_a_file(cache: ReplyCache) -> None:
    cache.put("k", {"text": "long " * 100_000})
    with database(cache) as connection:
        rows = connection.execute("SELECT key, raw, mode, filename, typeof(value) FROM Cache").fetchall()
    connection.close()
    assert rows == [("k", 1, 1, None, "text")]
    assert cache.get("k") == {"text": "long " * 100_000}


def test_the_disk_refuses_what_it_would_have_to_pickle(tmp_path: Path) -> None:
    disk = TextDisk(str(tmp_path))
    with pytest.raises(RefusedRow):
        disk.store({"a": 1}, read=False)
    with pytest.raises(RefusedRow):
        disk.put(("a", 1))
    with pytest.raises(RefusedRow):
        disk.get(pickle.dumps("k"), raw=False)


def test_nothing_is_evicted_or_expires(cache: ReplyCache) -> None:
    with database(cache) as connection:
        settings = dict(connection.execute("SELECT key, value FROM Settings").fetchall())
    connection.close()
    cache.put("k", {"text": "x"})
    with database(cache) as connection:
        assert connection.execute("SELECT expire_time FROM Cache").fetchall() == [(None,)]
    connection.close()
    assert settings["eviction_policy"] == "none"
    assert settings["cull_limit"] == 0
    assert settings["size_limit"] > 2**50


def test_a_damaged_file_is_moved_aside_and_said(tmp_path: Path, heard: list[str]) -> None:
    for _ in range(2):
        folder = tmp_path / "cache"
        folder.mkdir(exist_ok=True)
        for stale in folder.glob("cache.db-*"):
            stale.unlink()
        (folder / "cache.db").write_bytes(b"this is not a database, " * 400)
        cache = ReplyCache(folder, heard.append)
        cache.put("k", {"text": "x"})
        assert cache.get("k") == {"text": "x"}
        cache.close()
    assert len(heard) == 2
    assert "moved" in heard[0]
    damaged = {path.name for path in folder.glob("cache.db.damaged-?")}
    assert damaged == {"cache.db.damaged-1", "cache.db.damaged-2"}


def test_damage_found_while_reading_costs_calls_and_one_warning(cache: ReplyCache, heard: list[str]) -> None:
    for number in range(400):
        cache.put(str(number), {"text": "x" * 200})
    cache.close()
    size = (cache.folder / "cache.db").stat().st_size
    with (cache.folder / "cache.db").open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))
    again = ReplyCache(cache.folder, heard.append)
    results = [again.get(str(number)) for number in range(400)]
    again.put("new", {"text": "y"})
    again.close()
    assert None in results
    assert len(heard) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder_is_said_once(tmp_path: Path, heard: list[str]) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    tmp_path.chmod(0o500)
    folder.chmod(0o500)
    cache = ReplyCache(folder / "deeper", heard.append)
    for number in range(3):
        cache.put(str(number), {"text": "x"})
        assert cache.get(str(number)) is None
    tmp_path.chmod(0o700)
    assert len(heard) == 1


def test_a_folder_that_cannot_be_made_is_said_once(tmp_path: Path, heard: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ReplyCache(tmp_path / "file" / "cache", heard.append)
    cache.put("k", {"text": "x"})
    assert cache.get("k") is None
    assert len(heard) == 1


def test_a_database_that_cannot_be_written_still_answers(cache: ReplyCache, heard: list[str]) -> None:
    cache.put("k", {"text": "x"})
    with database(cache) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON Cache BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    connection.close()
    for number in range(3):
        cache.put(f"new {number}", {"text": "y"})
    assert cache.get("k") == {"text": "x"}
    assert len(heard) == 1


CHANGES: dict[str, Any] = {
    "role": replace(REQUEST, role="task"),
    "model": replace(REQUEST, model=replace(MODEL, model="openai/n")),
    "endpoint": replace(REQUEST, model=replace(MODEL, endpoint="http://127.0.0.1:1/v1")),
    "model parameters": replace(REQUEST, model=replace(MODEL, params={"temperature": 1})),
    "parameters": replace(REQUEST, params={"max_tokens": 11}),
    "message": replace(REQUEST, messages=(Message("user", "hi "),)),
    "message role": replace(REQUEST, messages=(Message("system", "hi"),)),
    "one more message": replace(REQUEST, messages=(*REQUEST.messages, Message("assistant", ""))),
    "schema": replace(REQUEST, response_schema={"type": "object"}),
    "rubric": replace(REQUEST, identity={"rubric": "b"}),
    "sample": replace(REQUEST, sample=1),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_whatever_can_change_the_answer_changes_the_key(changed: str) -> None:
    assert request_key(CHANGES[changed]) != request_key(REQUEST)


def test_whatever_cannot_change_the_answer_leaves_the_key() -> None:
    same = replace(
        REQUEST,
        model=replace(MODEL, name="strong", api_key="other" * 4, price=Price(1, 1), concurrency=1),
        timeout_s=1.0,
        retries=0,
        use_cache=False,
    )
    assert request_key(same) == request_key(REQUEST)


def test_keys_do_not_depend_on_the_order_of_fields() -> None:
    assert canonical_key({"a": 1, "b": [2]}) == canonical_key({"b": [2], "a": 1})
    assert canonical_key([1, 2]) != canonical_key([2, 1])


@pytest.mark.parametrize("stored", [{}, {"text": ""}, {"text": 5, "dropped": []}, {"text": "x", "dropped": "none"}])
def test_an_entry_of_another_form_is_no_reply(stored: dict[str, Any]) -> None:
    assert restored_reply(REQUEST, stored) is None


def test_the_key_is_a_digest_of_canonical_json() -> None:
    assert len(request_key(REQUEST)) == 64
    with pytest.raises(ValueError, match="JSON"):
        canonical_key({"score": float("nan")})
