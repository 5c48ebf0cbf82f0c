"""Importers: files as people have them, read without loss or guess."""

import json
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from texttargets.importers.detect import ALIASES, FORMATS
from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.reading import ImportResult, read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"


def imported(tmp_path: Path, name: str, content: str | bytes, **options: object) -> ImportResult:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_failures([path], **options)  # type: ignore[arg-type]


def refused(tmp_path: Path, name: str, content: str | bytes, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, name, content, **options)
    return str(caught.value)


def test_a_spreadsheet_keeps_its_first_column_line_breaks_zeros_and_formulas() -> None:
    result = read_failures([DATA / "spreadsheet.csv"])
    assert [case.id for case in result.cases] == ["007", "010", "r3"]
    assert result.cases[0].input == 'line one\r\nline "two"'
    assert [case.expected for case in result.cases] == ["ok", None, "=1+1"]
    assert result.notes == ()
    assert result.format == "csv"


def test_another_encoding_must_be_named() -> None:
    with pytest.raises(InputError, match="not UTF-8: byte 0xE9 at 24") as caught:
        read_failures([DATA / "windows_1252.csv"])
    assert "--encoding cp1252" in str(caught.value)
    result = read_failures([DATA / "windows_1252.csv"], encoding="cp1252")
    assert [case.input for case in result.cases] == ["Café à 5 €", "a;b"]
    with pytest.raises(InputError, match="no known encoding"):
        read_failures([DATA / "windows_1252.csv"], encoding="cp9999")


def test_rows_with_a_cell_too_many_or_too_few_are_named_by_line() -> None:
    with pytest.raises(InputError) as caught:
        read_failures([DATA / "ragged.csv"])
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (3, "one cell too many"),
        (4, "2 cells too few"),
    ]
    result = read_failures([DATA / "ragged.csv"], skip_bad=True)
    assert [case.id for case in result.cases] == ["1"]
    assert [mention.line for mention in result.skipped] == [3, 4]


def test_cells_of_any_size_are_read(tmp_path: Path) -> None:
    result = imported(tmp_path, "big.csv", f'id,input\nbig,"{"x" * 200_000}"\n')
    assert len(result.cases[0].input) == 200_000


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_names_the_separator_is_no_header(tmp_path: Path, separator: str, line_end: str) -> None:
    content = line_end.join([separator, "id;input", "a;x, y", "b;z", ""])
    assert [case.input for case in imported(tmp_path, "excel.csv", content).cases] == ["x, y", "z"]
    assert "excel.csv:4: one cell too few" in refused(tmp_path, "excel.csv", content.replace("b;z", "b"))
    assert "excel.csv:2: no known column" in refused(tmp_path, "excel.csv", content.replace("id;input", "c;d"))


def test_a_table_of_an_old_mac_has_lines(tmp_path: Path) -> None:
    result = imported(tmp_path, "mac.csv", 'id,input\ra,"one\rtwo"\rb,three\r')
    assert [(case.id, case.input) for case in result.cases] == [("a", "one\rtwo"), ("b", "three")]


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32-le", "utf-32-le"),
        ("utf-32-be", "utf-32-be"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
    ],
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,input\na,Café 日本\n"),
        ("a.jsonl", '{"id": "a", "input": "Café 日本"}\n'),
        ("a.txt", "id,input\na,Café 日本\n"),
    ],
)
def test_a_file_of_wide_characters_is_told_by_its_bytes(
    tmp_path: Path, written: str, named: str, name: str, text: str
) -> None:
    content = text.encode(written)
    assert f"--encoding {named}." in refused(tmp_path, name, content)
    assert imported(tmp_path, name, content, encoding=named).cases[0].input == "Café 日本"


def test_a_fault_of_no_file_names_none(tmp_path: Path) -> None:
    assert refused(tmp_path, "a.jsonl", '{"input": "x"}\n', format="foo").startswith("format: 'foo' is no format")
    with pytest.raises(InputError) as caught:
        imported(tmp_path, "b.jsonl", '{"input": "x", "pass": true}\n').evalset("b")
    assert str(caught.value) == "cases: nothing to import: 1 × passed (--all takes what passed as guards)"


def test_a_write_that_was_never_finished_is_no_wide_encoding(tmp_path: Path) -> None:
    said = refused(tmp_path, "torn.jsonl", b'{"id": "a", "input": "x"}\n' + bytes(4096))
    assert "utf" not in said.lower()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_makes_the_columns(tmp_path: Path, delimiter: str) -> None:
    text = "\n".join(
        delimiter.join(row) for row in (["Case ID", "Question", "went wrong"], ["1", "a", "too, long; | x"])
    )
    text = text.replace("too, long; | x", '"too, long; | x"')
    case = imported(tmp_path, "table.txt", text).cases[0]
    assert (case.id, case.input, case.went_wrong) == ("1", "a", "too, long; | x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('id,input\n1,"torn', "broken quoting"),
        ("id,input,id\n1,a,b\n", "column 'id' is there twice"),
        ("first,second\n1,a\n", "no known column name in the first line: first, second"),
        ("id,input\n1,\n", "no input"),
        ("id,input\n", "no records"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, text: str, words: str) -> None:
    assert words in refused(tmp_path, "t.csv", text)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "b", "input": "to', "cut off"),
        (b'{"id": "b", "input": "x"', "cut off"),
        (b'{"id": "b", "input": "x"}{"id": "c", "input": "y"}', "two records on one line"),
        (b"\0\0\0\0", "NUL bytes"),
        (b'{"id": "b", "input": "x\0\0"}', "NUL bytes"),
        (rb'{"id": "b", "input": "x \ud83d"}', "half of a character (U+D83D"),
        (b'{"id": "b", "input": "\xed\xa0\xbd"}', "not UTF-8: byte 0xED at 48"),
        (b'{"id": "b", "input": "caf\xc3', "not UTF-8: byte 0xC3 at 51"),
        (b'{"id": "b", "input": "x", "id": "c"}', "key 'id' is given twice"),
        (b'{"id": "b", "input": "x", "score": NaN}', "NaN is not JSON"),
        (b'{"id": "b", "input": "x", "n": 1e400}', "too large"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]", "not a JSON object"),
        (b'{"id": "b", "question": "  "}', "the input is blank"),
        (b'{"id": "b", "input": "x", "expected": ' + b"1" * 5000 + b"}", "a number of 5000 digits is too long"),
        (b'{"id": ["b"], "input": "x"}', "id must be a text"),
        (b'{"id": "b", "input": "x", "check": {"type": "exakt"}}', "check"),
    ],
)
def test_a_bad_line_stops_the_import_or_is_skipped_by_name(tmp_path: Path, line: bytes, reason: str) -> None:
    content = b'{"id": "a", "input": "1"}\n' + line + b'\n\n{"id": "z", "input": "2"}\n'
    message = refused(tmp_path, "f.jsonl", content)
    assert message.startswith("f.jsonl:2: ")
    assert reason in message
    result = imported(tmp_path, "f.jsonl", content, skip_bad=True)
    assert [case.id for case in result.cases] == ["a", "z"]
    assert [mention.line for mention in result.skipped] == [2]
    assert reason in result.skipped[0].text


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    text = '\ufeff{"id": 7, "input": "a\u2028b\u2029c\u0085d"}\r\n{"id": "007", "input": "e"}'
    result = imported(tmp_path, "f.jsonl", text)
    assert [case.id for case in result.cases] == ["7", "007"]
    assert result.cases[0].input == "a\u2028b\u2029c\u0085d"
    table = imported(tmp_path, "f.csv", 'id,input\n1,"a\u2028b"\n2,c\x0bd\n')
    assert [case.input for case in table.cases] == ["a\u2028b", "c\x0bd"]


def test_utf_16_is_read_when_named(tmp_path: Path) -> None:
    content = '{"id": "a", "input": "é"}\n'.encode("utf-16")
    assert "--encoding utf-16" in refused(tmp_path, "f.jsonl", content)
    assert imported(tmp_path, "f.jsonl", content, encoding="utf-16").cases[0].input == "é"


@pytest.mark.parametrize(
    "text",
    [
        '[\n {"id": "a", "input": "1"},\n\n {"id": "b", "input": "2"}\n]\n',
        '{"name": "s", "cases": [\n{"id": "a", "input": "1"},{"id": "b", "input": "2"}]}',
    ],
)
def test_json_documents(tmp_path: Path, text: str) -> None:
    assert [case.id for case in imported(tmp_path, "f.json", text).cases] == ["a", "b"]


def test_elements_of_a_json_document_have_lines(tmp_path: Path) -> None:
    assert refused(tmp_path, "f.json", '[\n {"input": "]"},\n\n {"id": "b"}\n]\n').startswith("f.json:4: no input")
    assert "line 2 column" in refused(tmp_path, "f.json", '[{"input": "1"},\n{"input" "2"}]', format="json")


def test_one_record_alone_is_a_document_too(tmp_path: Path) -> None:
    assert imported(tmp_path, "f.json", '{\n "id": "p1",\n "input": {"question": "{x} {# z"}\n}').cases[0].input == {
        "question": "{x} {# z"
    }


def test_yaml_words_numbers_and_dates_stay_texts(tmp_path: Path) -> None:
    text = (
        "- {id: 007, input: no, expected: 1.10}\n- {id: 1e3, input: 2024-05-01, expected: {n: 3, ok: true, no: null}}\n"
    )
    cases = imported(tmp_path, "f.yaml", text).cases
    assert [(case.id, case.input, case.expected) for case in cases] == [
        ("007", "no", "1.10"),
        ("1e3", "2024-05-01", {"n": 3, "ok": True, "no": None}),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- &a {id: x, input: y}\n- *a\n", "f.yaml:2: not YAML: aliases"),
        ("- id: a\n  input: x\n  id: b\n", "f.yaml:1: key 'id' is given twice"),
        ("- id: a\n\tinput: x\n", "f.yaml:2: not YAML"),
        ("- id: a\n  input: {{question}}\n", "f.yaml:1: a key must be a word"),
        ("- {id: a, input: {question}}\n", "f.yaml:1: {question} is read as a mapping"),
        ("just words\n", "no list of records"),
        ("- 3\n", "f.yaml:1: not a mapping"),
    ],
)
def test_yaml_that_cannot_be_used_says_why(tmp_path: Path, text: str, words: str) -> None:
    assert words in refused(tmp_path, "f.yaml", text)


def test_promptfoo_results_give_failing_tests_only() -> None:
    result = read_failures([DATA / "promptfoo.json"])
    assert result.format == "promptfoo"
    assert [case.input for case in result.cases] == [{"question": "Explain rain"}, {"question": "Where?"}]
    assert [case.observed for case in result.cases] == ["Water.", '{"city": "Bonn", "ok": null}']
    assert [case.went_wrong for case in result.cases] == ["Too terse", "wrong city"]
    assert "test 2: provider error, not imported" in [mention.text for mention in result.skipped]
    assert any("llm-rubric" in note for note in result.notes)


def test_promptfoo_passes_become_guards_when_all_is_asked_for() -> None:
    result = read_failures([DATA / "promptfoo.json"], all_items=True)
    assert [(case.kind, case.went_wrong) for case in result.cases] == [
        ("guard", None),
        ("failure", "Too terse"),
        ("failure", "wrong city"),
    ]
    assert len(result.skipped) == 1


def test_promptfoo_assertions_become_checks(tmp_path: Path) -> None:
    asserts = [
        {"type": "equals", "value": "{{name}}!"},
        {"type": "icontains", "value": "ann"},
        {"type": "not-contains", "value": "sorry"},
        {"type": "javascript", "value": "output.length < 9"},
    ]
    test = {"vars": {"name": "Ann"}, "success": False, "response": {"output": "x"}, "testCase": {"assert": asserts}}
    case = imported(tmp_path, "p.json", json.dumps({"results": {"results": [test]}})).cases[0]
    assert case.expected == "Ann!"
    assert case.check is not None
    assert case.check.model_dump()["checks"] == (
        {"type": "exact", "strict": True},
        {"type": "contains", "values": ("ann",), "ignore_case": True},
        {"type": "none_of", "values": ("sorry",), "ignore_case": False},
    )


def test_chat_messages_keep_tool_calls_parts_and_refusals() -> None:
    result = read_failures([DATA / "openai_chat.jsonl"])
    assert [case.observed for case in result.cases] == ["3 degrees", "a pixel", "I can't do that"]
    assert '[calls w {"city": "Oslo"}]' in str(result.cases[0].input)
    assert "tool: 3 C" in str(result.cases[0].input)
    assert str(result.cases[1].input).startswith("what is this\n")
    assert result.notes == ("openai_chat.jsonl: line 2: image left out",)


def test_a_system_message_and_an_unanswered_question(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}]
    result = imported(
        tmp_path, "f.jsonl", json.dumps({"messages": messages, "output": {"role": "assistant", "content": "yo"}})
    )
    assert (result.cases[0].input, result.cases[0].observed) == ("hi", "yo")
    assert any("system message left out" in note for note in result.notes)


def test_the_format_can_be_named_and_unknown_names_list_the_known_ones(tmp_path: Path) -> None:
    assert imported(tmp_path, "f.log", '{"id": "a", "input": "x"}', format="openai").cases[0].id == "a"
    said = refused(tmp_path, "f", "{}", format="xls")
    assert all(f" {name}" in said for name in [*ALIASES, *(known.name for known in FORMATS)])
    assert "cannot tell the format" in refused(tmp_path, "f.log", "some words\n")
    assert "the file is empty" in refused(tmp_path, "f.jsonl", b"\xef\xbb\xbf\n")


def test_files_that_cannot_be_read_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_failures([tmp_path / "none.jsonl", DATA / "ragged.csv", tmp_path])
    assert len(caught.value.problems) == 4


def test_brackets_and_control_characters_are_data() -> None:
    path = DATA / "brackets.jsonl"
    wanted = [json.loads(line)["input"] for line in path.read_text("utf-8").splitlines()]
    assert [case.input for case in read_failures([path]).cases] == wanted
    assert len(wanted) == 12


@pytest.mark.parametrize(
    ("asserts", "check"),
    [
        ([{"type": "equals", "value": {"a": 1}}], {"type": "json_fields"}),
        ([{"type": "regex", "value": "^a"}], {"type": "regex", "pattern": "^a"}),
        (
            [{"type": "contains-all", "value": ["a", 2]}],
            {"type": "contains", "values": ["a", "2"], "ignore_case": False},
        ),
        ([{"type": "is-json", "value": {"type": "object"}}], {"type": "json_schema", "schema": {"type": "object"}}),
        ([{"type": "contains", "value": "{{unknown}}"}], None),
        ([{"type": "contains"}, "odd"], None),
        (None, None),
    ],
)
def test_each_promptfoo_assertion(asserts: object, check: object) -> None:
    assert read_asserts(asserts, {"known": "x"}).check == check


def test_promptfoo_results_of_another_shape_are_refused_when_named(tmp_path: Path) -> None:
    assert "no promptfoo results" in refused(tmp_path, "p.json", '{"results": []}', format="promptfoo")
    test = {"vars": {"q": "x"}, "success": False, "response": {}}
    result = imported(tmp_path, "p.json", json.dumps({"results": [test, 3]}), skip_bad=True)
    assert [mention.text for mention in result.skipped] == [
        "test ?: no output in the export, not imported",
        "not a JSON object",
    ]


def test_a_yaml_eval_set_is_read_from_its_list_of_cases(tmp_path: Path) -> None:
    text = "name: s\ncases:\n  - id: a\n    input: |\n      one\n      two\n    tags: [x, 'y']\n"
    (case,) = imported(tmp_path, "f.log", text).cases
    assert (case.input, case.tags) == ("one\ntwo\n", ("x", "y"))
    assert "no list of records" in refused(tmp_path, "f.yaml", "name: s\n")
    assert "f.yaml:1: not YAML" in refused(tmp_path, "f.yaml", b"- id: a\x07\n")
