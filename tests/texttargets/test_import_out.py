"""Where an import goes: formats by name, and a file that cannot be read is refused and stays as it is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ceopt_tui.commands.import_ import command
from ceopt_tui.errors import InputError
from schemas.loading import load_evalset

FAILED = {"id": "a", "input": "q\u2028one\x7f", "expected": "x", "observed": "y\nz", "passed": False}


@pytest.fixture
def failures(tmp_path: Path) -> Path:
    file = tmp_path / "f.jsonl"
    file.write_text(json.dumps(FAILED) + "\n", "utf-8")
    return file


def imported(*arguments: str | Path) -> str:
    """What is said to a person, or the refusal."""
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert isinstance(result.exception, InputError | None), result.exception
    return str(result.exception) if result.exception else result.stderr


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"name: a\ncases: [\n  - {", "set.yaml:3: is not valid YAML"),
        (b"name: caf\xe9\ncases: []\n", "iconv -f CP1252 -t UTF-8"),
        (b"", "set.yaml:1: is empty"),
        (b"name: x\ncases: []\n", "set.yaml:2: cases: needs at least 1 entry"),
        (b"a,b\n1,2\n", "set.yaml:1: must be a mapping of keys"),
        (b'{"id": "a", "input": "q"}\n', "set.yaml:1: "),
        ("name: x\n".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_set_that_cannot_be_read_stays_as_it_is(tmp_path: Path, failures: Path, content: bytes, told: str) -> None:
    out = tmp_path / "set.yaml"
    out.write_bytes(content)
    said = imported(failures, "--out", out)
    assert told in said
    assert "Nothing was changed" in said and "another --out" in said
    assert out.read_bytes() == content


def test_a_folder_and_a_way_through_a_file_are_refused(tmp_path: Path, failures: Path) -> None:
    assert "is a folder, not an eval set" in imported(failures, "--out", tmp_path)
    assert f"{failures} is a file, not a folder" in imported(failures, "--out", failures / "sub" / "set.yaml")
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "gone.yaml")
    assert "no such file" in imported(failures, "--out", link)
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["set.jsonl", "set.csv", "set.toml", "set.yaml.txt"])
def test_a_name_of_another_format_is_refused(tmp_path: Path, failures: Path, name: str) -> None:
    said = imported(failures, "--out", tmp_path / name)
    assert "is no format of an eval set" in said
    assert ".yaml, .yml" in said and ".json" in said
    assert not (tmp_path / name).exists()


def test_a_name_in_json_holds_json_also_after_the_next_import(tmp_path: Path, failures: Path) -> None:
    out = tmp_path / "sets" / "set.JSON"
    imported(failures, "--out", out)
    assert json.loads(out.read_text("utf-8"))["cases"][0]["input"] == FAILED["input"]
    assert load_evalset(out).evalset.cases[0].input == FAILED["input"]
    changed = [{**FAILED, "observed": "other\u2028line\n"}, {"id": "b", "input": "two\nlines", "passed": False}]
    failures.write_text("".join(json.dumps(one) + "\n" for one in changed), "utf-8")
    imported(failures, "--out", out)
    cases = json.loads(out.read_text("utf-8"))["cases"]
    assert [case["id"] for case in cases] == ["a", "b"]
    assert cases[0]["observed"] == "other\u2028line\n"
    assert load_evalset(out).evalset.cases[1].input == "two\nlines"


@pytest.mark.parametrize("name", ["set.yaml", "set.yml", "set"])
def test_every_other_name_holds_yaml(tmp_path: Path, failures: Path, name: str) -> None:
    imported(failures, "--out", tmp_path / name)
    assert (tmp_path / name).read_text("utf-8").startswith("name: f\ncases:\n  - id: a\n")
