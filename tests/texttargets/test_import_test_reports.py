"""Reports of test runners: a failing test is a case, and XML that could explode is refused before it does."""

import time
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from texttargets.importers.reading import read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"


def test_junit_xml() -> None:
    result = read_failures([DATA / "junit.xml"])
    assert result.format == "junit"
    wet, tone = result.cases
    assert (wet.id, wet.input, wet.expected, wet.observed) == (
        "tests.test_triage.test_label[wet]",
        "My parcel is <wet>",
        "damage",
        "other",
    )
    assert str(wet.went_wrong).startswith(
        "AssertionError: assert 'other' == 'damage'\ndef test_label():\n>       assert"
    )
    assert (tone.input, tone.observed, tone.went_wrong) == ("tests.test_triage.test_tone", "Go away.", "rude")
    said = "\n".join(map(str, result.skipped))
    assert "junit.xml:16: tests.test_triage.test_later: skipped, not run" in said
    assert "test_fixture: error around the test, not a failed assertion" in said
    assert [case.kind for case in read_failures([DATA / "junit.xml"], all_items=True).cases].count("guard") == 1


def test_entities_are_refused_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(InputError, match=r"junit_bomb\.xml:2: declares a document type"):
        read_failures([DATA / "junit_bomb.xml"])
    outside = tmp_path / "outside.xml"
    outside.write_text('<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]><testsuites>&x;</testsuites>', "utf-8")
    with pytest.raises(InputError, match="declares a document type"):
        read_failures([outside])
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<testsuite><testcase name='a'></testsuite>", "not XML: mismatched tag"),
        ("<testsuite><testcase name='a'/>", "not XML: no element found"),
        ("<testsuites/>", "no records"),
    ],
)
def test_reports_that_cannot_be_read_say_why(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "report.xml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=words):
        read_failures([path])


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_xml_says_its_own_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "report.xml"
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite><testcase name="é"><failure/></testcase></testsuite>'
    path.write_bytes(text.encode(encoding))
    assert read_failures([path], format="junit").cases[0].id == "é"


def test_xml_of_another_kind_is_described(tmp_path: Path) -> None:
    path = tmp_path / "feed.xml"
    path.write_text("<?xml version='1.0'?>\n<rss/>", "utf-8")
    with pytest.raises(InputError, match='cannot tell the format: it is text that begins with "<\\?xml'):
        read_failures([path])


def test_a_json_report_of_pytest() -> None:
    result = read_failures([DATA / "pytest_report.json"])
    assert result.format == "pytest"
    (case,) = result.cases
    assert (case.id, case.input, case.observed, case.went_wrong) == (
        "tests/test_a.py::test_short",
        "Be brief",
        "A very long",
        "AssertionError: too long",
    )
    assert "test_skip: skipped, no verdict" in str(result.skipped[-1])


def test_a_report_log_of_pytest() -> None:
    result = read_failures([DATA / "pytest_reportlog.jsonl"])
    (case,) = result.cases
    assert (case.expected, case.observed, case.went_wrong) == ("short", "nine words\n", "assert 9 < 5")
    assert [str(mention) for mention in result.skipped] == [
        "pytest_reportlog.jsonl:4: tests/test_a.py::test_db: error around the test, not a failed assertion"
    ]
