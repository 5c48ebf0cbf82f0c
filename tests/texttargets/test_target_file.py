"""Exact reading and digests."""

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from texttargets.target_file import read_target, text_digest

DATA = Path(__file__).parent.parent / "data" / "texts"


def test_every_byte_is_kept() -> None:
    path = DATA / "B29_prompt.md"
    target = read_target(path, "prompts/mail.md")
    assert target.path == "prompts/mail.md"
    assert target.data == path.read_bytes()
    assert len(target.data) == 63
    assert target.text.startswith("\ufeff# Role\r\n")


def test_model_sees_no_byte_order_mark() -> None:
    target = read_target(DATA / "B29_prompt.md")
    assert "\ufeff" not in target.for_model
    assert "\ufeff" + target.for_model == target.text


def test_not_utf8_names_byte_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "latin.md"
    path.write_bytes(b"# Menu\nCaf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8: byte 0xE9 at 10") as caught:
        read_target(path)
    assert caught.value.problems[0].line == 2


def test_missing_file_is_the_users_to_fix(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.md: cannot be read"):
        read_target(tmp_path / "gone.md")


def test_digest_ignores_order_and_sees_every_byte() -> None:
    assert text_digest({"a": "x", "b": "y"}) == text_digest({"b": "y", "a": "x"})
    seen = {
        text_digest(texts) for texts in ({"a": "x\n"}, {"a": "x\r\n"}, {"a": "\ufeffx\n"}, {"ax": "\n"}, {"a": "x"})
    }
    assert len(seen) == 5


def test_digest_of_half_a_character_does_not_fail() -> None:
    assert text_digest({"a": "\ud83d"}) != text_digest({"a": "?"})
