"""Sessions of agents: a person's correction makes the answer before it a failure, and nothing else is a turn."""

import json
from pathlib import Path
from typing import Any

import pytest

from texttargets.importers.corrections import is_correction
from texttargets.importers.reading import ImportResult, read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"


def session(tmp_path: Path, *lines: dict[str, Any], **options: Any) -> ImportResult:
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return read_failures([path], **options)


def line(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **({"id": f"m{uuid}"} if kind == "assistant" else {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def said(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def test_a_session_of_claude_code() -> None:
    result = read_failures([DATA / "claude_code.jsonl"])
    assert result.format == "claude-code"
    first, second = result.cases
    assert (first.id, first.input, first.observed, first.went_wrong) == (
        "u1",
        "How many files are in src?",
        "There are two files.",
        "No, there are three.",
    )
    assert (second.id, second.observed, second.went_wrong) == ("u3", "[calls Bash]", "just print the names, please")
    everything = str([case.model_dump() for case in result.cases])
    for inserted in ("Sub-agent", "a.py\\nb.py", "/clear", "Counting files", "interrupted", "I'll look"):
        assert inserted not in everything
    counted = "\n".join(mention.text for mention in result.skipped)
    assert all(f"conversation: {what}" in counted for what in ("summary", "sub-agent", "tool result", "interruption"))


def test_answers_that_nobody_corrected_are_guards_when_all_is_asked_for() -> None:
    result = read_failures([DATA / "claude_code.jsonl"], all_items=True)
    assert [(case.id, case.kind) for case in result.cases] == [
        ("u1", "failure"), ("u2", "guard"), ("u3", "failure"), ("u4", "guard"),
    ]  # fmt: skip
    second = result.cases[1]
    assert second.input == (
        "user: How many files are in src?\n\nassistant: There are two files.\n\nuser: No, there are three."
    )


def test_growing_snapshots_of_one_message_are_one_turn(tmp_path: Path) -> None:
    pieces = ["There", "There are two", "There are two files.", "There are two"]
    lines = [line("assistant", f"a{n}", "u", said(text)) for n, text in enumerate(pieces)]
    for one in lines:
        one["message"]["id"] = "msg"
    around = line("user", "u", None, "How many?"), line("user", "v", "a3", "No, three.")
    result = session(tmp_path, around[0], *lines, around[1])
    assert [case.observed for case in result.cases] == ["There are two files."]
    for one in lines:
        del one["message"]["id"]
    result = session(tmp_path, around[0], *lines, around[1])
    assert [case.observed for case in result.cases] == ["There are two files."]


def test_a_rewritten_question_leaves_the_first_branch(tmp_path: Path) -> None:
    result = session(
        tmp_path,
        line("user", "u1", "root", "Draft it"),
        line("assistant", "a1", "u1", said("first draft")),
        line("user", "u2", "root", "Draft it in French"),
        line("assistant", "a2", "u2", said("un brouillon")),
        line("user", "u3", "a2", "That's not French"),
    )
    assert [(case.input, case.observed) for case in result.cases] == [("Draft it in French", "un brouillon")]
    assert any("2 lines are no turn of this conversation: abandoned branch" in m.text for m in result.skipped)


def test_a_session_of_a_sub_agent_alone_gives_nothing(tmp_path: Path) -> None:
    result = session(tmp_path, line("user", "u", None, "look", isSidechain=True), {"type": "summary", "summary": "x"})
    assert result.cases == ()
    meta = {"type": "session_meta", "payload": {"id": "x", "source": {"subagent": "review"}}}
    assert "a sub-agent" in session(tmp_path, meta).skipped[0].text


def test_a_long_session_shows_the_turns_before_the_question(tmp_path: Path) -> None:
    lines = []
    for number in range(4):
        lines += [
            line("user", f"u{number}", None, f"ask {number}"),
            line("assistant", f"a{number}", None, said(f"{number}")),
        ]
    result = session(tmp_path, *lines, line("user", "z", None, "wrong"))
    (case,) = result.cases
    assert str(case.input).startswith("user: ask 1\n\nassistant: 1")
    assert str(case.input).endswith("user: ask 3")
    assert any("earlier turns" in note for note in result.notes)


def test_a_grown_session_brings_its_cases_up_to_date(tmp_path: Path) -> None:
    lines = [line("user", "u", None, "q"), line("assistant", "a", "u", said("a")), line("user", "v", "a", "No, b.")]
    first = session(tmp_path, *lines).evalset("s")
    more = [line("assistant", "b", "v", said("b")), line("user", "w", "b", "still wrong: c")]
    merged = session(tmp_path, *lines, *more, existing=first).evalset("s", first)
    assert [case.id for case in merged.cases] == ["u", "v"]


@pytest.mark.parametrize(
    ("file", "case"),
    [
        ("codex_rollout.jsonl", ("019a:7", "Rename the flag to --out", "Renamed it to --output.",
                                 "that's wrong, I said --out")),
        ("codex_early.jsonl", ("77:3", "Sum 1..4?", "9", "Nope, try again")),
    ],
)  # fmt: skip
def test_a_session_of_codex(file: str, case: tuple[str, ...]) -> None:
    result = read_failures([DATA / file])
    assert result.format == "codex"
    assert [(c.id, c.input, c.observed, c.went_wrong) for c in result.cases] == [case]


def test_what_editors_put_among_the_words_is_left(tmp_path: Path) -> None:
    (case,) = session(
        tmp_path,
        line("user", "u", None, "<ide_opened_file>a.py is open</ide_opened_file>\nFix it"),
        line("assistant", "a", "u", said("Done.")),
        line("user", "v", "a", "No.<system-reminder>be kind\nalways</system-reminder>"),
    ).cases
    assert (case.input, case.went_wrong) == ("Fix it", "No.")
    message = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it\n"
    (case,) = session(
        tmp_path,
        {"type": "event_msg", "payload": {"type": "user_message", "message": message}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "Done."}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "wrong"}},
    ).cases
    assert case.input == "Fix it"


def test_a_session_of_codex_that_was_cut_short(tmp_path: Path) -> None:
    def event(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "t", "type": kind, "payload": payload}

    (case,) = session(
        tmp_path,
        event("session_meta", id="x", source="cli"),
        event("event_msg", type="user_message", message="fix it"),
        event("event_msg", type="agent_message", message="I will rewrite everything."),
        event("event_msg", type="turn_aborted", reason="interrupted"),
        event("event_msg", type="user_message", message="only the typo"),
    ).cases
    assert (case.observed, case.went_wrong) == ("I will rewrite everything.", "only the typo")


def meta(name: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "session_meta", "payload": {"id": name, "source": "cli", **more}}


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **payload}}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": kind, **payload}}


def spoken(role: str, text: str, *, envelope: bool = True, **more: Any) -> dict[str, Any]:
    message = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}], **more}
    return {"timestamp": "t", "type": "response_item", "payload": message} if envelope else message


def typed(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A message of the user as newer versions write it: as the model gets it, and as it was typed."""
    return spoken("user", f"# Context\n\n## My request for Codex:\n{text}"), event("user_message", message=text)


def shell(output: str = "ok") -> tuple[dict[str, Any], dict[str, Any]]:
    return item("function_call", name="shell", call_id="c"), item("function_call_output", call_id="c", output=output)


def told(result: Any) -> list[tuple[str, str, str]]:
    return [(case.input, case.observed, case.went_wrong) for case in result.cases]


def test_codex_lines_of_several_versions_in_one_session(tmp_path: Path) -> None:
    result = session(
        tmp_path,
        {"id": "s", "timestamp": "t", "instructions": None},
        {"record_type": "state"},
        spoken("user", "Sum 1..4?", envelope=False),
        spoken("assistant", "9", envelope=False),
        spoken("user", "No, add them", envelope=False),
        spoken("assistant", "10", envelope=False),
        *typed("And 1..5?"),
        *shell(),
        spoken("assistant", "14"),
        event("agent_message", message="14"),
        *typed("that's wrong"),
        event("agent_message", message="15"),
        spoken("user", "Nope, I said 1..5 squared"),
    )
    assert result.format == "codex"
    assert [(case.observed, case.went_wrong) for case in result.cases] == [
        ("9", "No, add them"),
        ("14", "that's wrong"),
        ("15", "Nope, I said 1..5 squared"),
    ]
    assert [case.id for case in result.cases] == ["s:3", "s:8", "s:14"]
    assert "14\n\n14" not in str(result.cases)


def test_codex_sessions_in_one_file_do_not_mix(tmp_path: Path) -> None:
    lines = {
        name: (meta(name), *typed(f"{name}?"), spoken("assistant", f"{name}!"), *typed("No, wrong"))
        for name in ("one", "two")
    }
    agent = (meta("sub", source={"subagent": "review"}), *typed("look"), spoken("assistant", "x"), *typed("wrong"))
    result = session(tmp_path, *lines["one"], *agent, *lines["two"])
    assert told(result) == [("one?", "one!", "No, wrong"), ("two?", "two!", "No, wrong")]
    assert [case.id for case in result.cases] == ["one:3", "two:3"], "as in a file of its own"
    assert any(mention.line == 7 and "sub-agent" in mention.text for mention in result.skipped)


def test_a_fork_and_a_resumed_session_of_codex_are_one(tmp_path: Path) -> None:
    forked = session(tmp_path, meta("b", forked_from_id="a"), meta("a"), *typed("q"), spoken("assistant", "x"),
                     meta("b"), *typed("wrong"))  # fmt: skip
    assert [(case.id, case.went_wrong) for case in forked.cases] == [("b:4", "wrong")]


def test_a_correction_after_a_tool_came_back(tmp_path: Path) -> None:
    result = session(
        tmp_path, meta("s"), *typed("Rename it"), spoken("assistant", "I look first."), *shell(), *shell(),
        *typed("no, not that file"), spoken("assistant", "Comment.", phase="commentary"), *shell(),
        spoken("assistant", "One more.", phase="commentary"), spoken("assistant", "Done.", phase="final_answer"),
        *typed("you forgot the tests"), *shell(), *typed("stop"),
    )  # fmt: skip
    assert [(case.observed, case.went_wrong) for case in result.cases] == [
        ("I look first.", "no, not that file"),
        ("Done.", "you forgot the tests"),
        ("[calls shell]", "stop"),
    ]


@pytest.mark.parametrize(
    ("cut", "reaction", "failed"),
    [
        ([event("turn_aborted", reason="interrupted")], "only the typo", True),
        ([event("turn_aborted")], "only the typo", True),
        ([spoken("user", "<turn_aborted>\nThe user interrupted")], "only the typo", True),
        ([spoken("developer", "<turn_aborted>")], "only the typo", True),
        ([*shell("aborted by user after 5.0s")], "only the typo", True),
        ([*shell("Wall time: 5.0 seconds\naborted by user")], "only the typo", True),
        ([event("turn_aborted", reason="replaced")], "only the typo", False),
        ([event("turn_aborted", reason="budget_limited")], "only the typo", False),
        ([event("turn_aborted", reason="interrupted")], "ok, please continue where you left off", False),
        ([event("turn_aborted", reason="interrupted")], "continue, but not in that file", True),
        ([], "only the typo", False),
    ],
)
def test_what_cut_an_answer_of_codex_short(
    tmp_path: Path, cut: list[dict[str, Any]], reaction: str, failed: bool
) -> None:
    begun = (meta("s"), *typed("fix it"), spoken("assistant", "I rewrite everything."))
    result = session(tmp_path, *begun, *cut, *typed(reaction), all_items=True)
    assert [case.kind for case in result.cases] == ["failure" if failed else "guard"]
    assert result.cases[0].input == "fix it"


def test_an_interruption_before_the_answer_is_no_case(tmp_path: Path) -> None:
    lines = (meta("s"), *typed("fix it"), event("turn_aborted", reason="interrupted"), *typed("fix the typo"))
    (case,) = session(tmp_path, *lines, spoken("assistant", "Done."), *typed("wrong")).cases
    assert (case.input, case.went_wrong) == ("fix it\n\nfix the typo", "wrong")


def test_questions_that_were_taken_back_are_named(tmp_path: Path) -> None:
    result = session(
        tmp_path, meta("s"), *typed("q1"), spoken("assistant", "a1"), *typed("q2"), spoken("assistant", "a2"),
        event("thread_rolled_back", num_turns=1), *typed("no, wrong"),
    )  # fmt: skip
    assert told(result) == [("q1", "a1", "no, wrong")]
    assert any("taken back" in mention.text for mention in result.skipped)


def test_what_the_program_writes_is_counted(tmp_path: Path) -> None:
    inserted = [
        "<environment_context>x",
        "<user_action>\nreview",
        "<model_switch>",
        "<permissions instructions>",
        "<skill>",
    ]
    lines = [spoken("user", text) for text in inserted] + [spoken("developer", "be kind"), spoken("system", "x")]
    result = session(tmp_path, meta("s"), *lines, spoken("user", "<b>bold</b>?"), spoken("assistant", "a"),
                     spoken("user", "wrong"))  # fmt: skip
    assert told(result) == [("<b>bold</b>?", "a", "wrong")]
    said = "\n".join(map(str, result.skipped))
    for words in ("5 lines are no turn of this conversation: inserted by the program", "message of the developer",
                  "message of the system"):  # fmt: skip
        assert words in said


@pytest.mark.parametrize(
    "words",
    [
        "No, there are three.", "no that's the old file", "Nope", "wrong file", "That's not what I asked for",
        "this is wrong", "It doesn't work", "you forgot the tests", "I said two spaces", "undo that",
        "it should be a list, not a tuple", "Not quite. The date goes first.", "still failing with the same error",
        "hm, no", "ok but not like this", "Nein, das Datum fehlt", "Das stimmt nicht", "Non, en français",
        "不对，应该是三个", "違います", "why did you delete it?", "you’re wrong about the dates",
    ],
)  # fmt: skip
def test_corrections(words: str) -> None:
    assert is_correction(words)


@pytest.mark.parametrize(
    "words",
    [
        "Thanks!", "Great, now add a test.", "ok", "Now list them.", "Can you explain the second one?", "no problem",
        "No, that's all, thanks", "Notify me when done", "Normalise the names too", "Commit it", "looks good",
        "no further changes", "What about the other file?", "Next: the README", "yes", "Danke", "Merci, c'est bon",
    ],
)  # fmt: skip
def test_what_is_no_correction(words: str) -> None:
    assert not is_correction(words)
