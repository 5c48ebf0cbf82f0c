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
