"""The editor of code that is a model: what it is asked, which replies are carried out, and that no half of one is."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from editor_world import EXPERIMENT

from ceopt_tui.core.command_ports import Edited
from ceopt_tui.core.ports import (
    Accept,
    ModelReply,
    ModelRequest,
    ProposalRefused,
    ResolvedModel,
)
from ceopt_tui.errors import AuthError, CallFailed, ProposalError, StorageError
from schemas.records import CallFacts
from texttargets.proposers.code_editor import CodeEditor

RECIPE = replace(EXPERIMENT, mutable=("src", "one.py"))
TABLE = "rows = parse(text)\nprint(rows)\n"
MARKED = "\ufeffone\r\ntwo\r\n"


class Completer:
    """Answers every request with the same reply, or raises it."""

    def __init__(self, reply: Any, *, truncated: bool = False) -> None:
        self.requests: list[ModelRequest] = []
        self._reply, self._truncated = reply, truncated

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        self.requests.append(request)
        if isinstance(self._reply, Exception):
            raise self._reply
        text = self._reply if isinstance(self._reply, str) else json.dumps(self._reply)
        return ModelReply(text, CallFacts(role="proposer", model="openai/m"), truncated=self._truncated)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "table.py").write_text(TABLE)
    (folder / "src" / "marked.txt").write_bytes(MARKED.encode())
    (folder / "src" / "image.bin").write_bytes(b"\x89PNG\0")
    (folder / "measure.py").write_text("measure\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def editor(reply: Any, **knobs: Any) -> tuple[CodeEditor, Completer]:
    completer = Completer(reply, **knobs)
    return CodeEditor(completer, ResolvedModel("strong", "openai/m", "openai"), edits=4), completer


async def carried_out(folder: Path, *edits: dict[str, Any]) -> Edited:
    return await editor({"why": "Parsed once.", "edits": list(edits)})[0].edit(RECIPE, folder)


async def refused(folder: Path, *edits: dict[str, Any]) -> list[tuple[str, str]]:
    """The refusals of a reply, after a look that not a byte has changed."""
    before = contents(folder)
    with pytest.raises(ProposalRefused) as caught:
        await carried_out(folder, *edits)
    assert contents(folder) == before and sorted(one.name for one in folder.iterdir()) == ["measure.py", "src"]
    return [(one.code, one.message) for one in caught.value.refusals]


async def test_edits_new_files_and_deletions_are_carried_out_together(checkout: Path) -> None:
    edited = await carried_out(
        checkout,
        {"path": "src/table.py", "search": "parse(text)", "replace": "parsed(text)"},
        {"path": "src/table.py", "search": "print(rows)", "replace": "show(rows)"},
        {"path": "src/new/cache.py", "content": "cache = {}\r\n"},
        {"path": "src/marked.txt", "delete": True},
    )
    assert edited == Edited("openai/m", "Parsed once.")
    assert contents(checkout) == {
        "measure.py": b"measure\n",
        "src/image.bin": b"\x89PNG\0",
        "src/new/cache.py": b"cache = {}\r\n",
        "src/table.py": b"rows = parsed(text)\nshow(rows)\n",
    }


async def test_bytes_outside_of_an_edit_stay(checkout: Path) -> None:
    await carried_out(checkout, {"path": "src/marked.txt", "search": "two", "replace": "2\n3"})
    assert (checkout / "src/marked.txt").read_bytes() == "\ufeffone\r\n2\r\n3\r\n".encode()


async def test_a_file_that_may_be_made_at_the_top(checkout: Path) -> None:
    await carried_out(checkout, {"path": "one.py", "content": "1\n"})
    assert (checkout / "one.py").read_text() == "1\n"


async def test_content_for_a_file_that_is_there_is_refused_shown_or_not(checkout: Path) -> None:
    for path in ("src/table.py", "src/image.bin"):
        [(code, message)] = await refused(checkout, {"path": path, "content": "new\n"})
        assert code == "file_exists" and "search and replace" in message
    [(code, _)] = await refused(checkout, {"path": "src", "content": "new\n"})
    assert code == "file_exists"


@pytest.mark.parametrize(
    "second",
    [
        {"path": "src/new.py", "content": "b"},
        {"path": "src/./new.py", "content": "b"},
        {"path": "src//new.py", "content": "b"},
        {"path": "src/new.py", "delete": True},
        {"path": "src/new.py", "search": "a", "replace": "b"},
    ],
)
async def test_a_file_that_is_named_twice_is_refused(checkout: Path, second: dict[str, Any]) -> None:
    said = await refused(checkout, {"path": "src/new.py", "content": "a"}, second)
    assert {code for code, _ in said} <= {"edit_overlap", "out_of_scope"}


async def test_a_file_is_not_edited_and_deleted_or_deleted_twice(checkout: Path) -> None:
    edit, delete = (
        {"path": "src/table.py", "search": "rows =", "replace": "x ="},
        {"path": "src/table.py", "delete": True},
    )
    assert [code for code, _ in await refused(checkout, edit, delete)] == ["edit_overlap"]
    assert [code for code, _ in await refused(checkout, delete, delete)] == ["edit_overlap"]


@pytest.mark.parametrize("path", ["src/gone.py", "src/image.bin", "src"])
async def test_what_was_not_shown_is_neither_edited_nor_deleted(checkout: Path, path: str) -> None:
    assert [code for code, _ in await refused(checkout, {"path": path, "delete": True})] == ["edit_not_found"]
    edit = {"path": path, "search": "a", "replace": "b"}
    assert [code for code, _ in await refused(checkout, edit)] == ["edit_not_found"]


@pytest.mark.parametrize(
    "path",
    [
        "measure.py", "srcs/new.py", "../outside.py", "/etc/new", "~/new", "src/../measure.py", "src/.git/config",
        "src/.GIT/config", "src\\new.py", "C:/new", "src/new.py/", "src/a\0b", "src/a\nb", "src/table.py/below.py",
        "src/" + "x" * 300, "src/loop/new.py", "src/away/new.py", "src/one.txt", " ", "src/caf\u202e.py",
    ],
)  # fmt: skip
async def test_a_path_that_may_not_be_takes_everything_with_it(checkout: Path, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (checkout / "src" / "away").symlink_to(outside)
    (checkout / "src" / "one.txt").symlink_to(outside / "made.txt")
    (checkout / "src" / "loop").symlink_to("loop")
    good = {"path": "src/table.py", "search": "rows =", "replace": "x ="}
    before = contents(checkout)
    with pytest.raises(ProposalError) as caught:
        await carried_out(checkout, good, {"path": path, "content": "new\n"})
    codes = {one.code for one in caught.value.refusals} if isinstance(caught.value, ProposalRefused) else {"proposal"}
    assert codes <= {"out_of_scope", "proposal"}
    assert contents(checkout) == before and list(outside.iterdir()) == []


@pytest.mark.parametrize("search", ["rows", "nowhere"])
async def test_one_edit_that_does_not_fit_takes_the_others_with_it(checkout: Path, search: str) -> None:
    edits = {"path": "src/table.py", "search": search, "replace": "x"}
    said = await refused(
        checkout, edits, {"path": "src/new.py", "content": "a"}, {"path": "src/marked.txt", "delete": True}
    )
    assert [code for code, _ in said] in (["edit_ambiguous"], ["edit_not_found"])


async def test_every_fault_of_a_reply_is_named(checkout: Path) -> None:
    said = await refused(
        checkout,
        {"path": "measure.py", "content": "x"},
        {"path": "src/gone.py", "delete": True},
        {"path": "src/table.py", "content": "x"},
    )
    assert sorted(code for code, _ in said) == ["edit_not_found", "file_exists", "out_of_scope"]


async def test_more_edits_than_allowed_and_none_at_all(checkout: Path) -> None:
    many = [{"path": f"src/n{at}.py", "content": "x"} for at in range(5)]
    assert await refused(checkout, *many) == [("edit_budget", "5 edits, at most 4 allowed")]
    assert [code for code, _ in await refused(checkout)] == ["no_edits_applied"]


async def test_two_new_files_of_which_one_is_the_others_folder_are_both_not_made(checkout: Path) -> None:
    said = await refused(checkout, {"path": "src/a", "content": "x"}, {"path": "src/a/b", "content": "x"})
    assert [code for code, _ in said] == ["out_of_scope"]


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, StorageError), (errno.EACCES, ProposalRefused)])
async def test_a_write_that_fails_puts_back_what_was_written_before_it(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    write, before = Path.write_bytes, contents(checkout)

    def failing(path: Path, data: bytes) -> int:
        if path.name == "last.py":
            raise OSError(number, "no")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", failing)
    with pytest.raises(kind):
        await carried_out(
            checkout,
            {"path": "src/table.py", "search": "rows =", "replace": "x ="},
            {"path": "src/new/first.py", "content": "x"},
            {"path": "src/new/last.py", "content": "x"},
        )
    assert contents(checkout) == before and not (checkout / "src" / "new").exists()


@pytest.mark.parametrize(
    "reply",
    [
        "I would cache it.", "[1]", '{"edits": 3}', '{"edits": [3]}', '{"edits": [{"path": ""}]}',
        '{"edits": [{"path": "src/a.py"}]}', '{"edits": [{"path": "src/a.py", "delete": false}]}',
        '{"edits": [{"path": "src/a.py", "content": 3}]}', "```\n{}\n```\n```\n{}\n```", "[" * 100_000,
        '{"edits": [{"path": "src/a.py", "content": "\\ud83d"}]}', '{"edits": [], "edits": []}',
        '{"edits": [{"path": "src/a.py", "content": "a", "search": "b", "replace": "c"}]}',
    ],
)  # fmt: skip
async def test_a_reply_that_cannot_be_read_is_a_failed_proposal(checkout: Path, reply: str) -> None:
    before = contents(checkout)
    with pytest.raises(ProposalError):
        await editor(reply)[0].edit(RECIPE, checkout)
    assert contents(checkout) == before


async def test_a_reply_that_was_cut_off_is_refused_though_it_could_be_read(checkout: Path) -> None:
    reply = {"why": "", "edits": [{"path": "src/new.py", "content": "half"}]}
    with pytest.raises(ProposalRefused, match="cut off"):
        await editor(reply, truncated=True)[0].edit(RECIPE, checkout)


@pytest.mark.parametrize("reason", ["server error", "connection", "timeout"])
async def test_an_outage_says_nothing_about_the_editor(checkout: Path, reason: str) -> None:
    with pytest.raises(CallFailed):
        await editor(CallFailed("no", reason=reason))[0].edit(RECIPE, checkout)
    with pytest.raises(AuthError):
        await editor(AuthError("no"))[0].edit(RECIPE, checkout)
    with pytest.raises(ProposalError, match="gave no reply: refused"):
        await editor(CallFailed("refused", reason="empty reply"))[0].edit(RECIPE, checkout)


async def test_it_is_told_the_recipe_and_the_files_it_may_change_and_no_other(checkout: Path) -> None:
    one, completer = editor({"why": "", "edits": [{"path": "one.py", "content": "1"}]})
    await one.edit(RECIPE, checkout)
    [request] = completer.requests
    asked = "\n".join(message.content for message in request.messages)
    for said in (
        "Make it fast", "The change to carry out now: Keep the table", "reverted however it scores", "src, one.py",
        "never change: measure.py", "keep the order", "numpy", "ms: 12 at first, now 9.5", "ms: smaller is better",
        "Sort first: reverted (slower)", "sorting does not pay", "out_of_scope: measure.py may not be changed",
        TABLE, "Not shown: src/image.bin (binary)",
    ):  # fmt: skip
        assert said in asked, said
    assert "measure\n" not in asked
    assert (request.role, request.params["temperature"]) == ("proposer", 0)


async def test_ideas_come_in_order_and_at_most_as_many_as_were_asked_for(checkout: Path) -> None:
    ideas = [
        {"description": " Keep the table ", "category": "caching", "expected_benefit": "30 %", "confidence": "high",
         "cost_and_risk": "small", "evidence": "parsed per call", "share": "parse_ms", "dependencies": ["lru"]},
        {"description": "Read once", "confidence": "certain", "dependencies": "many"},
        {"description": "Third"},
    ]  # fmt: skip
    one, completer = editor({"ideas": ideas})
    first, second = await one.ideas(RECIPE, checkout, 2)
    assert (first.description, first.category, first.required_deps) == ("Keep the table", "caching", ("lru",))
    assert first.opportunity["evidence"] == "parsed per call" and first.rank > second.rank
    assert first.opportunity["share"] == "parse_ms" and "share" not in second.opportunity
    assert (second.confidence, second.expected_benefit, second.required_deps) == ("low", "unknown", ())
    assert "at most 2 ideas" in completer.requests[0].messages[-1].content
    for odd in ({"ideas": 3}, {"ideas": [{"category": "x"}]}, {"ideas": [3]}):
        with pytest.raises(ProposalError):
            await editor(odd)[0].ideas(RECIPE, checkout, 2)
