"""Exports of tracing and evaluation tools: found out, read at the right level, nothing dropped in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError
from texttargets.importers.detect import FORMATS
from texttargets.importers.reading import ImportResult, read_failures
from texttargets.importers.verdicts import Bar

DATA = Path(__file__).parents[1] / "data" / "imports"

# File, format, and of every case: id, input, expected, observed, what went wrong.
EXPORTS: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    ("langfuse_traces.json", "langfuse", [
        ("t1", "hello", None, "hi there", "helpful 0: did not ask what for"),
        ("t3", "hey", None, "yo", None),
    ]),
    ("langfuse_export.json", "langfuse", [
        ("e1", {"ticket": "My parcel is wet."}, None, '{"label": "other"}', "label correct 0"),
    ]),
    ("langfuse_export.csv", "langfuse", [("c1", "wet, again", None, '"Sorry, "\nhe said', None)]),
    ("langfuse_dataset_items.json", "langfuse", [
        ("d1", {"ticket": "My parcel is wet."}, {"label": "damage", "urgent": True}, None, None),
        ("d3", "Say only yes.", "yes", None, None),
    ]),
    ("langsmith_examples.jsonl", "langsmith", [
        ("7a1c", {"question": "Capital of Peru?"}, "Lima", None, None),
        ("7a1d", "Sort 3, 1, 2", {"numbers": [1, 2, 3], "stable": True}, None, None),
    ]),
    ("langsmith_runs.jsonl", "langsmith", [
        ("7a1c", {"question": "Capital of Peru?"}, "Lima", "Cusco", "correctness 0.0"),
    ]),
    ("braintrust_experiment.json", "braintrust", [("row-1", "grand", "large", "big", "synonym, but not ours")]),
    ("openai_evals_samples.jsonl", "openai-evals", [
        ("case-9c05d097b4", "Colour of grass?", "green", None, None),
        ("case-85e93b97e9", "Largest ocean?", "Pacific", None, None),
    ]),
    ("openai_evals_log.jsonl", "openai-evals", [
        ("colours.dev.0", "Colour of grass?", "green", "It is green.", None),
    ]),
    ("openai_output_items.json", "openai-platform", [
        ("5", "My monitor won't start", "Hardware", "Software", "match false"),
    ]),
    ("openai_stored_completions.json", "openai-platform", [
        ("chatcmpl-1", "Capital of Australia?", None, "Sydney", "wrong city"),
    ]),
    ("phoenix_spans.json", "otel", [
        ("01", "Is it raining?", None, "No idea.", "helpfulness 0: could have asked where"),
    ]),
    ("otlp_genai.jsonl", "otel", [
        ("s1", "Do you ship to Malta?", None, "Yes.", None),
        ("s5", "Old style?", None, "Old style.", None),
    ]),
    ("gepa_examples.json", "dspy", [
        ("case-291ced079b", "How many legs have three cats?", "12", None, None),
        ("case-b9422487ae", "7 * 8?", "56", None, None),
    ]),
    ("dspy_program.json", "dspy", [("case-cfbb083f8f", "Who wrote Emma?", "Jane Austen", None, None)]),
    ("evals.json", "skill-evals", [
        ("1", "Write notes for 1.4", "A short list of changes for users\n- Names the version\n- No commit hashes",
         None, None),
        ("2", "Notes for a release without changes", "- Says that nothing changed", None, None),
    ]),
    ("skillopt/train/items.json", "skillopt", [
        ("q1", {"question": "Who painted Guernica?", "context": "[DOC] Guernica, 1937"}, "Picasso", None, None),
        ("q2", "2+2?", "4", None, None),
    ]),
    ("skillopt_rollouts.json", "skillopt", [("q1", "Who painted Guernica?", None, "Dali", "wrong painter")]),
]  # fmt: skip


def imported(tmp_path: Path, name: str, value: Any, **options: Any) -> ImportResult:
    path = tmp_path / name
    lines = "".join(json.dumps(record) + "\n" for record in value) if name.endswith("jsonl") else json.dumps(value)
    path.write_text(lines, "utf-8")
    return read_failures([path], **options)


@pytest.mark.parametrize(("file", "format_name", "cases"), EXPORTS, ids=[file for file, _, _ in EXPORTS])
def test_an_export_is_found_out_and_read(file: str, format_name: str, cases: list[tuple[Any, ...]]) -> None:
    result = read_failures([DATA / file])
    assert result.format == format_name
    found = [(case.id, case.input, case.expected, case.observed, case.went_wrong) for case in result.cases]
    assert found == cases
    assert {case.kind for case in result.cases} == {"failure"}


@pytest.mark.parametrize(("file", "format_name", "cases"), EXPORTS, ids=[file for file, _, _ in EXPORTS])
def test_every_export_can_be_named_and_read_again_without_doubles(
    file: str, format_name: str, cases: list[tuple[Any, ...]]
) -> None:
    first = read_failures([DATA / file], format=format_name).evalset("s")
    again = read_failures([DATA / file], existing=first)
    assert again.evalset("s", first) == first
    assert len(first.cases) == len(cases)


@pytest.mark.parametrize(
    ("file", "reasons"),
    [
        ("langfuse_traces.json", ["t2: no input or output in the export"]),
        ("langfuse_dataset_items.json", ["d2: archived in its dataset"]),
        ("langsmith_runs.jsonl", ["run r1a: a step of another run", "run r2: ended in an error, not imported"]),
        ("braintrust_experiment.json", ["b1t: a step of another span", "b3: ended in an error, not imported"]),
        ("openai_evals_log.jsonl", ["sample colours.dev.2: ended in an error, not imported"]),
        ("openai_output_items.json", ["output item 7: ended in an error, not imported"]),
        ("openai_stored_completions.json", ["chatcmpl-2: the question is not in the export"]),
        ("phoenix_spans.json", ["retrieve 02: no verdict on this span, but on others of the file"]),
        ("otlp_genai.jsonl", ["s2: a step, no call of a model", "s3: ended in an error", "s4: no input or output"]),
    ],
)  # fmt: skip
def test_what_is_left_out_is_named(file: str, reasons: list[str]) -> None:
    said = "\n".join(mention.text for mention in read_failures([DATA / file]).skipped)
    assert all(reason in said for reason in reasons)


@pytest.mark.parametrize(
    ("file", "guards"),
    [
        ("langfuse_traces.json", ["t4"]), ("langfuse_export.json", ["e2"]), ("langsmith_runs.jsonl", ["r3"]),
        ("braintrust_experiment.json", ["row-2"]), ("openai_evals_log.jsonl", ["colours.dev.1"]),
        ("openai_output_items.json", ["6"]), ("skillopt_rollouts.json", ["q2"]),
    ],
)  # fmt: skip
def test_what_passed_becomes_a_guard_when_all_is_asked_for(file: str, guards: list[str]) -> None:
    result = read_failures([DATA / file], all_items=True)
    assert [case.id for case in result.cases if case.kind == "guard"] == guards


def test_no_verdict_is_said() -> None:
    for file in ("langfuse_traces.json", "otlp_genai.jsonl"):
        assert any("nothing says whether it was right" in note for note in read_failures([DATA / file]).notes)
    assert not any("nothing says" in note for note in read_failures([DATA / "phoenix_spans.json"]).notes)


def test_the_side_of_a_split_is_kept() -> None:
    examples = read_failures([DATA / "langsmith_examples.jsonl"]).cases
    assert [case.split for case in examples] == ["selection", "holdout"]
    items = read_failures([DATA / "skillopt" / side / "items.json" for side in ("train", "test")]).cases
    assert [(case.id, case.split) for case in items] == [("q1", "selection"), ("q2", "selection"), ("q9", "holdout")]


def test_several_right_answers_become_a_check_that_takes_any() -> None:
    case = read_failures([DATA / "openai_evals_samples.jsonl"]).cases[1]
    assert case.check is not None
    assert case.check.model_dump() == {
        "type": "regex",
        "pattern": r"\s*(?:Pacific|the\ Pacific|Pacific\ Ocean)\s*",
        "full": True,
    }


def test_one_score_can_decide_and_a_number_can_be_the_bar() -> None:
    def kinds(bar: Bar) -> list[str]:
        result = read_failures([DATA / "braintrust_experiment.json"], bar=bar, all_items=True)
        return [case.kind for case in result.cases]

    assert kinds(Bar(below=0.1)) == ["failure", "guard"]  # the exact match is 0
    assert kinds(Bar("levenshtein", 0.1)) == ["guard", "guard"]
    assert kinds(Bar("ExactMatch")) == ["failure", "guard"]
    with pytest.raises(InputError, match="no record has the score 'nonsense'; there are ExactMatch, Levenshtein"):
        read_failures([DATA / "braintrust_experiment.json"], bar=Bar("nonsense"))


def test_a_record_without_the_score_is_taken_and_named(tmp_path: Path) -> None:
    runs = [{"id": "a", "input": "q", "scores": {"fit": 0}}, {"id": "b", "input": "r", "scores": {"tone": 1}}]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(run) + "\n" for run in runs), "utf-8")
    result = read_failures([path], bar=Bar("fit"))
    assert [case.id for case in result.cases] == ["a", "b"]
    assert any("no score 'fit'" in note for note in result.notes)


def test_a_run_keeps_the_id_of_its_example_unless_that_is_there_twice(tmp_path: Path) -> None:
    run = {"run_type": "chain", "inputs": {"question": "q"}, "reference_example_id": "ex"}
    once = imported(tmp_path, "a.jsonl", [{**run, "id": "r1", "outputs": {"answer": "x"}}])
    assert [case.id for case in once.cases] == ["ex"]
    twice = [{**run, "id": f"r{n}", "outputs": {"answer": str(n)}} for n in (1, 2)]
    assert [case.id for case in imported(tmp_path, "b.jsonl", twice).cases] == ["r1", "r2"]


def test_a_downloaded_trace(tmp_path: Path) -> None:
    trace = {
        "trace": {"id": "t", "input": {"prompt": "hello"}, "output": None},
        "observations": [{"type": "GENERATION", "input": "x", "output": {"content": [{"type": "text", "text": "yo"}]}}],
        "scores": [{"name": "ok", "value": 0, "comment": "rude"}],
    }
    (case,) = imported(tmp_path, "trace-t.json", trace).cases
    assert (case.id, case.input, case.observed, case.went_wrong) == ("t", "hello", "yo", "ok 0: rude")


def test_rows_of_the_blob_storage(tmp_path: Path) -> None:
    row = {"id": "o", "trace_id": "t", "type": "GENERATION", "name": "llm", "level": "DEFAULT", "status_message": None,
           "input": '{"messages": [{"role": "user", "content": "hi"}]}', "output": '"\\"hi\\""'}  # fmt: skip
    step = {**row, "id": "p", "type": "SPAN"}
    failed = {**row, "id": "f", "output": None, "level": "ERROR"}
    result = imported(tmp_path, "observations.jsonl", [row, step, failed])
    assert [(case.id, case.input) for case in result.cases] == [("o", "hi")]
    assert ["f: ended in an error" in mention.text for mention in result.skipped] == [False, True]


def test_a_page_of_the_api_and_texts_encoded_once_more(tmp_path: Path) -> None:
    page = {"data": [{"id": "t", "input": '"hello"', "output": '"say \\"yo\\""'}], "meta": {"page": 1, "totalItems": 1}}
    (case,) = imported(tmp_path, "x.json", page).cases
    assert (case.input, case.observed) == ("hello", 'say "yo"')


def test_an_answer_alone_may_be_meant_otherwise(tmp_path: Path) -> None:
    result = imported(tmp_path, "x.jsonl", [{"question": "q", "answer": "a"}])
    assert any("--format dspy takes it as what is wanted" in note for note in result.notes)
    judged = imported(tmp_path, "x.jsonl", [{"question": "q", "answer": "a", "expected": "b"}])
    assert not any("dspy" in note for note in judged.notes)


def test_results_of_promptfoo_by_line(tmp_path: Path) -> None:
    result = {"testIdx": 0, "success": False, "vars": {"q": "x"}, "response": {"output": "y"}, "error": "bad"}
    found = imported(tmp_path, "results.jsonl", [result, {**result, "success": True, "vars": {"q": "z"}}])
    assert found.format == "promptfoo"
    assert [(case.input, case.went_wrong) for case in found.cases] == [({"q": "x"}, "bad")]


def test_scores_named_by_id_only_are_said(tmp_path: Path) -> None:
    trace = {"id": "t", "timestamp": "x", "name": "n", "input": "a", "output": "b", "scores": ["s1"]}
    assert any("named by id only" in note for note in imported(tmp_path, "t.json", [trace]).notes)


@pytest.mark.parametrize(
    ("recorded", "text"),
    [
        ("plain", "plain"),
        ('"quoted"', '"quoted"'),
        ({"city": "Bonn", "ok": None}, '{"city": "Bonn", "ok": null}'),
        ('{"a":1.10,"b":[ 1 ]}', '{"a":1.10,"b":[ 1 ]}'),
        ('"{\\"a\\":1}"', '{"a":1}'),
        ("[]", "[]"),
        ("{}", "{}"),
        ([], None),
        ({"output": "inner"}, "inner"),
        ({"choices": [{"text": "old"}]}, "old"),
        ({"generations": [[{"text": "lang"}]]}, "lang"),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "t"}]}, "t"),
        ([{"role": "model", "parts": [{"text": "gemini"}]}], "gemini"),
        ([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "a"),
        ('{"content": "twice"}', "twice"),
        ([1, 2], "[1, 2]"),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "name": "ls", "input": {"p": "."}}]},
            '[calls ls {"p": "."}]',
        ),
        ({"type": "ai", "data": {"content": "langchain"}}, "langchain"),
    ],
)
def test_answers_in_the_shapes_they_are_recorded_in(tmp_path: Path, recorded: Any, text: str | None) -> None:
    record = {"id": "b", "input": "q", "output": recorded, "span_attributes": {"type": "eval"}}
    assert imported(tmp_path, "b.json", [record]).cases[0].observed == text


@pytest.mark.parametrize(
    ("recorded", "question"),
    [
        ("plain", "plain"),
        ("[1,2]", "[1,2]"),
        ({"prompt": "p"}, "p"),
        ({"topic": "rain"}, {"topic": "rain"}),
        ({"args": ["one"], "kwargs": {}}, "one"),
        ({"args": [], "kwargs": {"topic": "rain"}}, {"topic": "rain"}),
        ({"messages": [{"role": "user", "content": "m"}]}, "m"),
        ([[{"type": "human", "content": "nested"}]], "nested"),
        ('[{"role": "user", "content": "as text"}]', "as text"),
        ({"contents": [{"role": "user", "parts": [{"text": "gemini"}]}]}, "gemini"),
    ],
)
def test_questions_in_the_shapes_they_are_recorded_in(tmp_path: Path, recorded: Any, question: Any) -> None:
    record = {"id": "b", "input": recorded, "output": "a", "span_attributes": {"type": "eval"}}
    assert imported(tmp_path, "b.json", [record]).cases[0].input == question


def test_spans_of_the_console_and_of_openinference_lists(tmp_path: Path) -> None:
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.prompt": "hi", "gen_ai.completion": "yo"}
    console = {"name": "chat", "context": {"span_id": "0x2"}, "parent_id": None, "attributes": attributes}
    nested = {
        "name": "llm",
        "context": {"span_id": "n"},
        "attributes": {
            "openinference": {"span": {"kind": "LLM"}},
            "llm": {
                "input_messages": [
                    {"message": {"role": "user", "contents": [{"message_content": {"type": "text", "text": "q"}}]}}
                ],
                "output_messages": [{"message.role": "assistant", "message.content": "a"}],
            },
        },
        "events": [
            {
                "name": "gen_ai.evaluation.result",
                "attributes": {"gen_ai.evaluation.name": "fit", "gen_ai.evaluation.score.label": "fail"},
            }
        ],
    }
    assert [(c.input, c.observed) for c in imported(tmp_path, "a.jsonl", [console]).cases] == [("hi", "yo")]
    (case,) = imported(tmp_path, "b.jsonl", [console, nested]).cases
    assert (case.id, case.input, case.observed, case.went_wrong) == ("n", "q", "a", "fit fail")


def test_otlp_values_of_every_kind(tmp_path: Path) -> None:
    part = {"kvlistValue": {"values": [{"key": "type", "value": {"stringValue": "text"}},
                                       {"key": "content", "value": {"stringValue": "hi"}}]}}  # fmt: skip
    message = {"kvlistValue": {"values": [{"key": "role", "value": {"stringValue": "user"}},
                                          {"key": "parts", "value": {"arrayValue": {"values": [part]}}}]}}  # fmt: skip
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}},
    ]
    details = [{"key": "gen_ai.input.messages", "value": {"arrayValue": {"values": [message]}}},
               {"key": "gen_ai.completion", "value": {"stringValue": "yo"}}]  # fmt: skip
    event = {"name": "gen_ai.client.inference.operation.details", "attributes": details}
    span = {"spanId": "s", "name": "chat", "attributes": attributes, "events": [event]}
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (case,) = imported(tmp_path, "b.json", batch).cases
    assert (case.input, case.observed) == ("hi", "yo")


def test_skill_evals_of_other_kinds(tmp_path: Path) -> None:
    older = [{"skills": ["pdf"], "query": "Extract it", "files": ["a.pdf"], "expected_behavior": ["Reads it"]}]
    assert imported(tmp_path, "e.json", older).cases[0].expected == "- Reads it"
    triggers = [{"query": "merge pdfs", "should_trigger": True}, {"query": "hi", "should_trigger": False}]
    result = imported(tmp_path, "t.json", triggers)
    assert result.cases == ()
    assert all("asks whether the skill is loaded" in mention.text for mention in result.skipped)


def test_what_optimizers_save(tmp_path: Path) -> None:
    record = {"Inputs": "q", "Generated Outputs": "a", "Feedback": "wrong: b"}
    (case,) = imported(tmp_path, "r.json", [record]).cases
    assert (case.input, case.observed, case.went_wrong) == ("q", "a", "wrong: b")
    example = [{"question": "q", "context": "c", "answer": "e"}]
    assert imported(tmp_path, "e.json", example).cases[0].observed == "e"
    (wanted,) = imported(tmp_path, "e.json", example, format="gepa").cases
    assert (wanted.input, wanted.expected) == ({"question": "q", "context": "c"}, "e")


def test_every_format_has_a_reader_that_refuses_what_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"unheard": [1, "of"]}', "utf-8")
    for known in FORMATS:
        if known.name == "dspy":
            continue  # its examples may have any names
        with pytest.raises(InputError):
            read_failures([path], format=known.name).evalset("s")


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b'{"baseline": 1, "candidate": 2}', "one JSON object with the keys baseline, candidate"),
        (b"[1, 2]", "a JSON list without objects"),
        (b"\nDear reader,\n", "text that begins with 'Dear reader,'"),
        (b"PK\x03\x04rest", "a ZIP or spreadsheet file; save the sheet as CSV"),
        (b"PAR1", "a Parquet file"),
        (b"\x1f\x8b\x08", "a gzip file"),
    ],
)
def test_what_fits_no_format_is_described(tmp_path: Path, content: bytes, seen: str) -> None:
    path = tmp_path / "some.data"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot tell the format") as caught:
        read_failures([path])
    assert seen in str(caught.value)
