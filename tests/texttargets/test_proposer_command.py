"""The proposer that is a command: what it is given, what of its work is used, what is booked, how it is ended."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui import programs
from ceopt_tui.core.ports import Brief, Draft, ProposalRefused, Refusal, SelectionCase, Tried
from ceopt_tui.errors import BudgetError, CeoptError, ProposalError
from ceopt_tui.programs import program_environment
from schemas.checks import Regex
from schemas.evalset import Case
from schemas.idea_key import idea_key
from schemas.records import CallFacts
from texttargets.proposers.command import CommandProposer, CommandSetting
from texttargets.proposers.command_reply import UNCHANGED, Claim, claim_in

TEXT = "\ufeff# Sort\r\n\r\n- Read the message.\t\r\n- No final newline"
PATH = "prompts/sort.md"
SECRET = "sk-FAKE-ABCDEFGH12345678"


@dataclass
class Account:
    """The books: what was announced, what was settled."""

    full: bool = False
    begun: int = 0
    ended: list[tuple[CallFacts, str | None]] = field(default_factory=list)

    async def begin(self) -> str:
        if self.full:
            raise BudgetError("the cap of 9 calls is reached")
        self.begun += 1
        return f"c{self.begun}"

    async def end(self, facts: CallFacts, error: str | None = None) -> None:
        self.ended.append((facts, error))


def case(number: int, **more: Any) -> SelectionCase:
    check = Regex(type="regex", pattern="^(secret|pattern)$")
    values = {"input": f"message {number}", "expected": "billing", "check": check, "went_wrong": "chats", **more}
    return SelectionCase(Case(id=f"c{number}", **values), ("It is billing.",), 0.0, "another answer")


BRIEF = Brief("sort", "Sort messages by team", {PATH: TEXT}, [case(1), case(2)], constraints=("stay polite",), seed=3)


def ignored(title: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders of requests are made in this test; all of them must be gone at its end."""
    place = tmp_path / "room"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(programs, "BEAT_S", 0.01)
    monkeypatch.setattr(programs, "GRACE_S", 0.2)
    return place


def proposer(
    script: str, account: Account | None = None, progress: Any = ignored, timeout_s: float = 20.0, **environment: str
) -> CommandProposer:
    given = {"PATH": os.environ["PATH"], **environment}
    return CommandProposer(CommandSetting(script, given, timeout_s), account or Account(), progress, {SECRET})


async def brought(script: str, brief: Brief = BRIEF, refused: tuple[Refusal, ...] = (), **knobs: Any) -> Draft:
    one = proposer(script, **knobs)
    (idea,) = await one.hypotheses(brief, 4)
    return await one.propose(brief, idea, refused)


async def request_of(folder: Path, brief: Brief = BRIEF, refused: tuple[Refusal, ...] = ()) -> dict[str, Any]:
    """What the command was asked, from a copy it made."""
    await brought(f"cp request.json {folder}/copy.json; echo more >> {PATH}", brief, refused)
    asked: dict[str, Any] = json.loads((folder / "copy.json").read_text("utf-8"))
    return asked


async def test_the_request_says_all_that_may_be_known(tmp_path: Path) -> None:
    tried = [Tried("say it louder", "order", "rewrite", "reverted", "no gain", {"secret": 1})]
    brief = replace(BRIEF, tried=tried, protect=("Sort",), syntax="brace", digest="labels were never named")
    asked = await request_of(tmp_path, brief, (Refusal("leak", "copies item c1", 4),))
    assert asked == {
        "version": 1, "name": "sort", "description": "Sort messages by team", "texts": {PATH: TEXT},
        "cases": [
            {"id": f"c{number}", "input": f"message {number}", "expected": "billing", "observed": None,
             "went_wrong": "chats", "outputs": ["It is billing."], "pass_rate": 0.0, "score": None,
             "detail": "another answer", "feedback": []}
            for number in (1, 2)
        ],
        "constraints": ["stay polite"], "protect": ["Sort"], "syntax": "brace", "seed": 3, "timeout_s": 20.0,
        "digest": "labels were never named",
        "tried": [{"description": "say it louder", "category": "order", "outcome": "reverted", "reason": "no gain"}],
        "refused": [{"code": "leak", "message": "copies item c1", "line": 4}],
    }  # fmt: skip


async def test_no_check_and_no_case_of_a_dismissed_theme_is_in_it(tmp_path: Path) -> None:
    asked = await request_of(tmp_path, replace(BRIEF, set_aside=frozenset({"c2"})))
    assert [one["id"] for one in asked["cases"]] == ["c1"]
    assert "pattern" not in json.dumps(asked)


async def test_inputs_that_are_no_proper_text_arrive_all_the_same(tmp_path: Path) -> None:
    odd = [case(1, input="half \ud83d emoji \u2028 line"), case(2, input={"name": "Ann"}, expected=None)]
    asked = await request_of(tmp_path, replace(BRIEF, selection=odd))
    assert [one["input"] for one in asked["cases"]] == ["half \ud83d emoji \u2028 line", {"name": "Ann"}]


async def test_only_changed_files_come_back_byte_for_byte() -> None:
    two = replace(BRIEF, texts={PATH: TEXT, "b.md": "b\n"})
    draft = await brought(f"printf ' at all' >> {PATH}", two)
    assert draft.texts == {PATH: TEXT + " at all"}


async def test_it_starts_in_its_folder_with_the_environment_it_was_granted(tmp_path: Path) -> None:
    script = f"env > {tmp_path}/environ; touch $TMPDIR/scratch; echo x >> {PATH}"
    await brought(script, CEOPT_SPEC_DIR="/here")
    seen = dict(line.split("=", 1) for line in (tmp_path / "environ").read_text().splitlines())
    assert seen.keys() - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "CEOPT_SPEC_DIR", "TMPDIR"}
    assert seen["PWD"].endswith("/request")


def test_the_surroundings_hold_no_key_that_was_not_named() -> None:
    environ = {"PATH": "/bin", "HOME": "/me", "LC_ALL": "C", "OPENAI_API_KEY": SECRET, "MINE": "1", "AWS_SECRET": "x"}
    assert program_environment(environ, ("MINE", "NOT_SET")) == {
        "PATH": "/bin",
        "HOME": "/me",
        "LC_ALL": "C",
        "MINE": "1",
    }


async def test_nothing_is_left_behind(room: Path) -> None:
    await brought(f"echo x >> {PATH}; mkdir $TMPDIR/cache; chmod 000 $TMPDIR/cache")
    with pytest.raises(ProposalError):
        await brought("exit 1")
    assert list(room.iterdir()) == []


async def test_a_text_left_as_it_was_is_no_edit_and_not_asked_for_again() -> None:
    account = Account()
    one = proposer("true", account)
    (idea,) = await one.hypotheses(BRIEF, 4)
    with pytest.raises(ProposalRefused) as caught:
        await one.propose(BRIEF, idea, ())
    (refusal,) = caught.value.refusals
    assert (refusal.code, refusal.message) == ("no_edits_applied", UNCHANGED)
    with pytest.raises(ProposalRefused, match="left the text as it was"):
        await one.propose(BRIEF, idea, (refusal,))
    assert account.begun == 1
    tried = Tried(idea.description, idea.category, idea.move, "no_edits_applied", UNCHANGED, idea.parameters)
    known = replace(BRIEF, tried=[tried], tried_keys=frozenset({idea_key(idea.move, idea.parameters)}))
    assert await proposer("true").hypotheses(known, 4) == []


MISDEEDS = {
    "another file": ("echo x > notes.txt", "notes.txt: not a file of the target"),
    "many files": ("touch a b c d e", "a, b, c and 2 more files"),
    "a file beside the target": ("echo x > prompts/other.md", "prompts/other.md"),
    "a link to somewhere": (f"ln -sf /etc/hostname {PATH}", "no regular file"),
    "a folder that is a link": ("mkdir $TMPDIR/p; rm -r prompts; ln -s $TMPDIR/p prompts", "prompts: not a file"),
    "a link beside": ("ln -s /etc etc", "etc: not a file"),
    "a pipe": (f"rm {PATH}; mkfifo {PATH}", "no regular file"),
    "a removed file": (f"rm {PATH}", "is gone"),
    "no UTF-8": (f"printf '\\377' >> {PATH}", "not UTF-8"),
}


@pytest.mark.parametrize(("script", "said"), MISDEEDS.values(), ids=MISDEEDS)
async def test_what_is_outside_the_target_is_refused(script: str, said: str) -> None:
    with pytest.raises(ProposalRefused) as caught:
        await brought(f"echo x >> {PATH}; {script}")
    (refusal,) = caught.value.refusals
    assert refusal.code == "out_of_scope" and said in refusal.message


async def test_a_text_too_large_to_read_is_refused() -> None:
    with pytest.raises(ProposalRefused, match="4,000,001 bytes"):
        await brought(f"head -c 4000001 /dev/zero > {PATH}")


FAILURES = {
    "a status": ("echo one >&2; echo two >&2; exit 3", "The command ended with status 3; its last words: one␊two"),
    "words on stdout": ("echo why; exit 1", "ended with status 1; its last words: why"),
    "no words": ("exit 9", "ended with status 9; it said nothing"),
    "a signal": ("kill -9 $$", "was ended by signal 9"),
    "not there": ("no-such-program", "ended with status 127"),
    "a key": (f"echo the key {SECRET} is wrong; exit 1", "the key sk-*** is wrong"),
    "a screen code": ("printf 'a\\033[2Jb'; exit 1", "last words: a␛[2Jb"),
}


@pytest.mark.parametrize(("script", "said"), FAILURES.values(), ids=FAILURES)
async def test_a_command_that_fails_is_told_with_its_last_words(script: str, said: str) -> None:
    with pytest.raises(ProposalError) as caught:
        await brought(f"echo x >> {PATH}; {script}")
    assert said in caught.value.message and SECRET not in caught.value.message


async def test_last_words_are_short_and_the_last() -> None:
    with pytest.raises(ProposalError) as caught:
        await brought("seq 1 50000; exit 1")
    assert len(caught.value.message) < 500 and caught.value.message.endswith("49999␊50000")


async def test_one_that_failed_is_not_run_again_now_but_by_a_later_start() -> None:
    account = Account()
    one = proposer("echo broken >&2; exit 1", account)
    (idea,) = await one.hypotheses(BRIEF, 4)
    with pytest.raises(ProposalError) as caught:
        await one.propose(BRIEF, idea, ())
    with pytest.raises(ProposalRefused, match="broken"):
        await one.propose(BRIEF, idea, (Refusal("proposal", caught.value.message),))
    tried = Tried(idea.description, idea.category, idea.move, "no_edits_applied", caught.value.message, idea.parameters)
    known = replace(BRIEF, tried=[tried], tried_keys=frozenset({idea_key(idea.move, idea.parameters)}))
    with pytest.raises(ProposalError, match="broken"):
        await one.hypotheses(known, 4)
    assert account.begun == 1
    (again,) = await proposer("echo broken >&2; exit 1").hypotheses(known, 4)
    assert again.parameters == {**idea.parameters, "start": 2}


async def test_a_refused_text_goes_back_with_its_reason(tmp_path: Path) -> None:
    asked = await request_of(tmp_path, refused=(Refusal("placeholder_lost", "{name} is missing"),))
    assert asked["refused"] == [{"code": "placeholder_lost", "message": "{name} is missing", "line": None}]


@pytest.mark.parametrize(
    ("printed", "claim"),
    [
        ("", Claim()),
        ("done", Claim()),
        ('{"usd": 1}\nbye', Claim()),
        ("[1]\n", Claim()),
        ('{"note": "n", "usd": 0.5, "calls": 3}', Claim("n", 0.5, 3)),
        ('x\n{"usd": 0, "calls": 0}\n\n', Claim("", 0.0, 0)),
        ('{"note": 1, "usd": "0.5", "calls": 2.5}', Claim()),
        ('{"usd": -1, "calls": -1}', Claim()),
        ('{"usd": true, "calls": true}', Claim()),
        ('{"usd": NaN}', Claim()),
        ('{"usd": 1e400}', Claim()),
        (f'{{"calls": {10**400}, "usd": {10**400}}}', Claim()),
        ('{"note": "a\u2028b"}', Claim("a\u2028b")),
    ],
)
def test_a_claim_is_the_last_line_or_nothing(printed: str, claim: Claim) -> None:
    assert claim_in(printed) == claim


@pytest.mark.parametrize(
    ("printed", "booked"),
    [
        ('{"usd": 0.25, "calls": 12}', (12, 0.25)),
        ('{"calls": 7}', (7, None)),
        ("", (1, None)),
        ('{"usd": 0, "calls": 0}', (0, 0.0)),
    ],
)
async def test_its_account_is_booked_and_what_it_does_not_say_is_unknown(
    printed: str, booked: tuple[int, float | None]
) -> None:
    account = Account()
    draft = await brought(f"echo x >> {PATH}; echo {shlex.quote(printed)}", account=account)
    ((facts, error),) = account.ended
    assert ((facts.attempts, facts.usd), facts.outside, facts.role, error) == (booked, True, "proposer", None)
    assert draft.facts == (facts,)


async def test_one_that_failed_is_booked_too_with_what_it_said() -> None:
    account = Account()
    with pytest.raises(ProposalError):
        await brought('echo \'{"usd": 2, "calls": 9}\'; exit 1', account=account)
    ((facts, error),) = account.ended
    assert (facts.usd, facts.attempts) == (2.0, 9) and error is not None and "status 1" in error


async def test_it_is_not_started_when_a_cap_is_reached(tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        await brought(f"touch {tmp_path}/started", account=Account(full=True))
    assert not (tmp_path / "started").exists()


async def test_its_note_is_kept_short_and_without_keys() -> None:
    said = json.dumps({"note": f"tried {SECRET}"})
    assert (await brought(f"echo x >> {PATH}; echo {shlex.quote(said)}")).note == "tried sk-***"
    assert "brings" in (await brought(f"echo x >> {PATH}")).note


def starts_children(folder: Path) -> str:
    """A command with a child that would go on for a minute, deaf to a polite end; it says who they are."""
    return (
        f"(trap '' TERM; echo $$ > {folder}/shell; exec sleep 60) & echo $! > {folder}/child; touch {folder}/up; wait"
    )


def alive(file: Path) -> bool:
    """Does it run on? A process that was killed is gone when the kernel next gets to it."""
    for _ in range(400):
        if not _runs(file):
            return False
        time.sleep(0.005)
    return True


def _runs(file: Path) -> bool:
    try:
        return Path(f"/proc/{file.read_text().strip()}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_one_that_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    account = Account()
    with pytest.raises(ProposalError, match=r"took longer than 0\.3 s and was ended"):
        await brought(starts_children(tmp_path), account=account, timeout_s=0.3)
    assert not alive(tmp_path / "child")
    ((facts, error),) = account.ended
    assert facts.usd is None and error is not None


async def test_a_child_that_outlives_its_command_delays_nothing_and_is_ended(tmp_path: Path) -> None:
    await brought(f"sleep 60 & echo $! > {tmp_path}/child; echo x >> {PATH}")
    assert not alive(tmp_path / "child")


async def test_one_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_PRINTED_BYTES", 100_000)
    with pytest.raises(ProposalError, match="printed more than"):
        await brought("yes")


async def test_a_wish_to_stop_ends_it_and_books_it_as_unknown(tmp_path: Path) -> None:
    account = Account()

    def stop(title: str, done: int, total: int) -> None:
        if (tmp_path / "up").exists():
            raise CeoptError("you stopped the run")

    with pytest.raises(CeoptError, match="you stopped"):
        await brought(starts_children(tmp_path), account=account, progress=stop)
    assert not alive(tmp_path / "child")
    ((facts, error),) = account.ended
    assert (facts.usd, error) == (None, "ended before it was done: you stopped the run")


async def test_a_wish_to_stop_does_not_lose_what_just_came_in() -> None:
    def stop(title: str, done: int, total: int) -> None:
        if done == total:
            raise CeoptError("you stopped the run")

    assert (await brought(f"echo x >> {PATH}", progress=stop)).texts


async def test_a_cancelled_run_ends_it(tmp_path: Path, room: Path) -> None:
    account = Account()
    task = asyncio.create_task(brought(starts_children(tmp_path), account=account))
    while not (tmp_path / "up").exists():
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(tmp_path / "child") and account.ended[0][0].usd is None
    assert list(room.iterdir()) == []
