"""Cases that a model drafts: what it is shown, what of its reply is used, and what becomes of a bad one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from ceopt_tui.core.ports import Accept, Brief, ModelReply, ModelRequest, ResolvedModel, SelectionCase
from ceopt_tui.errors import CallFailed, QuotaError
from schemas.evalset import Case
from schemas.harness_records import CasesProposed, DraftedCase
from schemas.records import CallFacts
from texttargets.case_writer import WANTED, CaseWriter

MODEL = ResolvedModel("strong", "openai/strong", "here")
KNOWN = Case(id="c0", input="Is it 30 days?", expected="returns", observed="seen before", went_wrong="a reason")
GOOD = {"why": "one day late", "input": "It has been 31 days.", "expected": "refused"}


@dataclass
class Writer:
    """Replies with one text, or fails; remembers the requests."""

    reply: str | Exception
    requests: list[ModelRequest] = field(default_factory=list)
    refused: str = ""

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        self.requests.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        assert accept is not None
        try:
            accept(self.reply)
        except ValueError as error:
            self.refused = str(error)
        return ModelReply(self.reply, CallFacts(role="proposer", model="openai/strong"))


def brief(*cases: Case, text: str = "- Never promise a refund.\n") -> Brief:
    shown = [SelectionCase(case, outputs=("an output",), feedback=("a judge's remark",)) for case in cases or (KNOWN,)]
    return Brief("n", "sort messages", {"p.md": text}, shown, digest="the digest")


def replies(*cases: Any) -> str:
    return json.dumps({"cases": list(cases)})


async def propose(writer: Writer, *cases: Case) -> CasesProposed:
    return await CaseWriter(writer, MODEL).propose(brief(*cases), ())


async def test_without_a_model_there_are_ideas_and_no_call() -> None:
    writer = Writer("")
    proposed = await CaseWriter(writer, None).propose(brief(), ["Ask for the colour."])
    assert [idea.text for idea in proposed.ideas] == ["Ask for the colour."]
    assert (proposed.drafts, proposed.model, proposed.note, writer.requests) == ((), "", "", [])


async def test_drafts_are_marked_with_the_model_that_wrote_them() -> None:
    writer = Writer(replies(GOOD))
    proposed = await propose(writer)
    assert proposed.drafts == (DraftedCase(input="It has been 31 days.", expected="refused", why="one day late"),)
    assert (proposed.model, proposed.note, writer.refused) == ("openai/strong", "", "")
    assert proposed.ideas and writer.requests[0].role == "proposer"


async def test_the_model_sees_the_text_and_selection_cases_and_no_judge() -> None:
    writer = Writer(replies(GOOD))
    await propose(writer)
    sent = "\n".join(message.content for message in writer.requests[0].messages)
    assert "Never promise a refund" in sent and "Is it 30 days?" in sent and "wanted: returns" in sent
    assert not any(word in sent for word in ("an output", "a judge's remark", "seen before", "the digest"))


async def test_inputs_of_a_template_have_its_keys() -> None:
    filled = Case(id="c0", input={"days": "30", "item": "a lamp"}, expected="returns")
    rows = [{"input": {"days": 31, "item": "a lamp"}, "expected": "refused"}, {"input": {"days": "1"}, "expected": "x"},
            {"input": "31 days", "expected": "x"}]  # fmt: skip
    writer = Writer(replies(*rows))
    proposed = await propose(writer, filled)
    assert proposed.drafts == (DraftedCase(input={"days": "31", "item": "a lamp"}, expected="refused"),)
    assert "the keys days, item" in writer.requests[0].messages[-1].content
    schema: Any = writer.requests[0].response_schema
    assert set(schema["properties"]["cases"]["items"]["properties"]["input"]["properties"]) == {"days", "item"}


async def test_what_is_there_already_is_not_drafted_again_and_there_are_not_too_many() -> None:
    known = {"input": "is it 30 days", "expected": "returns"}
    proposed = await propose(Writer(replies(known, GOOD, {**GOOD, "why": "the same"})))
    assert len(proposed.drafts) == 1
    many = [{"input": f"input {number}", "expected": "x"} for number in range(WANTED + 3)]
    assert len((await propose(Writer(replies(*many)))).drafts) == WANTED
    none = await propose(Writer(replies(known)))
    assert (none.drafts, none.note) == ((), "every case the model wrote is there already")


async def test_an_answer_that_is_json_is_kept_as_its_text() -> None:
    proposed = await propose(Writer(replies({"input": "a", "expected": {"label": "x"}}, {"input": "b", "expected": 7})))
    assert [draft.expected for draft in proposed.drafts] == ['{"label": "x"}', "7"]


@pytest.mark.parametrize(
    "reply",
    ["", "Here you are!", "[]", "{}", '{"cases": 3}', replies(), replies("x"), replies({"input": "a"}),
     replies({"input": "", "expected": "x"}), replies({"input": ["a"], "expected": "x"})],
)  # fmt: skip
async def test_a_reply_that_cannot_be_used_is_a_note_and_no_cache_entry(reply: str) -> None:
    writer = Writer(reply)
    proposed = await propose(writer)
    assert proposed.drafts == () and proposed.note.startswith("no case the model wrote can be used")
    assert writer.refused and proposed.ideas


async def test_a_failed_call_is_a_note_and_an_empty_account_is_not() -> None:
    failed = await propose(Writer(CallFailed("no reply", reason="timeout")))
    assert failed.note == "no case the model wrote can be used: no reply"
    with pytest.raises(QuotaError):
        await propose(Writer(QuotaError("nothing left")))
