"""What an editor of code is shown of a checkout: exact texts, never a link, never what lies outside."""

from __future__ import annotations

from pathlib import Path

from texttargets.proposers.code_files import LARGEST_FILE, code_files


def test_texts_are_shown_byte_for_byte_and_the_rest_by_name_with_its_reason(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n# no end")
    (source / "large.py").write_text("#" * (LARGEST_FILE + 1))
    (source / "image.bin").write_bytes(b"\x89PNG\0")
    (source / "latin.txt").write_bytes(b"caf\xe9")
    (source / ".git").mkdir()
    (source / ".git" / "config").write_text("secret")
    found = code_files(tmp_path, ["src"])
    assert found.texts == {"src/a.py": "\ufeffx = 1\r\n# no end"}
    assert found.left_out == ("src/image.bin (binary)", "src/large.py (too large)", "src/latin.txt (not UTF-8)")


def test_nothing_outside_of_the_checkout_is_read(tmp_path: Path) -> None:
    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    (checkout / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "keys.txt").write_text("secret")
    (checkout / "src" / "own.py").write_text("x = 1\n")
    (checkout / "src" / "link.py").symlink_to(outside / "keys.txt")
    (checkout / "lib").symlink_to(outside)
    found = code_files(checkout, ["src", "lib", "lib/keys.txt"])
    assert found.texts == {"src/own.py": "x = 1\n"}
    assert found.left_out == ("src/link.py (a link)",)


def test_small_files_come_first_where_there_is_no_room_for_all(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"f{number}.txt").write_text("x" * (LARGEST_FILE - number))
    found = code_files(tmp_path, ["."])
    assert sorted(found.texts) == ["f2.txt", "f3.txt"]
    assert found.left_out == ("f0.txt (no room)", "f1.txt (no room)")
