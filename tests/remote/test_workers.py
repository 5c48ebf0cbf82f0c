"""Workers elsewhere: what goes out, what may come back, and what is refused however good its numbers are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from remote_world import EXP, Yard, told
from triage_project import git

from ceopt_tui.engine.command.deliveries import objection_to, records_of
from ceopt_tui.errors import GitError, ProposalError, SetupError
from ceopt_tui.gitops.hub import Hub
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.remote.payload import read_payload
from schemas.command_records import ChangeMade, CommandMeasured, Dispatched


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard.made(tmp_path)


async def test_a_result_is_a_change_and_pairs_taken_in_turns(yard: Yard) -> None:
    workers = yard.workers()
    await workers.dispatch(yard.recipe(), EXP)
    assert await workers.collect(1, EXP, yard.base) is None
    assert await yard.deliver({"src/work": "40"}) == EXP
    delivery = await workers.collect(1, EXP, yard.base)
    assert delivery is not None and list(delivery.files) == ["src/work"]
    dispatched = Dispatched(number=1, base_sha=yard.base, ref=EXP)
    assert objection_to(delivery, dispatched, ("work", "right")) == ""
    change, *samples = records_of(delivery, 1)
    assert isinstance(change, ChangeMade) and change.commit == delivery.head_sha and "+40" in change.diff
    taken = [sample for sample in samples if isinstance(sample, CommandMeasured)]
    assert [(one.arm, one.sample, one.values["work"]) for one in taken] == [
        ("reference", 0, 100), ("candidate", 0, 40), ("reference", 1, 100), ("candidate", 1, 40),
    ]  # fmt: skip
    assert {one.measured_by for one in taken} == {"w1"}
    assert git(yard.root, "show", f"{delivery.head_sha}:src/work") == "40"
    assert "result.yaml" not in git(yard.root, "ls-tree", "-r", "--name-only", delivery.head_sha)


async def test_a_worker_is_handed_nothing_that_is_held_out(yard: Yard) -> None:
    await yard.workers().dispatch(yard.recipe(), EXP)
    handed = told(yard.sent.payloads[0])
    assert "measure.sh" in handed and "held-out" not in handed


async def test_a_ref_goes_once_its_result_is_kept_here(yard: Yard) -> None:
    workers = yard.workers()
    await workers.dispatch(yard.recipe(), EXP)
    await yard.deliver({"src/work": "40"})
    await workers.forget(1, EXP)
    assert EXP in yard.at_hub()
    await workers.collect(1, EXP, yard.base)
    await workers.forget(1, EXP)
    assert EXP not in yard.at_hub()
    assert (yard.folder / "results" / "exp-001.yaml").is_file()


async def test_two_deliveries_of_one_experiment_are_both_kept_and_the_first_is_taken(yard: Yard) -> None:
    workers = yard.workers()
    await workers.dispatch(yard.recipe(), EXP)
    await yard.deliver({"src/work": "40"}, "w1")
    assert await yard.deliver({"src/work": "30"}, "w2") == f"{EXP}-w2"
    delivery = await workers.collect(1, EXP, yard.base)
    assert delivery is not None and delivery.marker.measured_by == "w1"
    await workers.forget(1, EXP)
    assert list(await workers.standing()) == [f"{EXP}-w2"]


async def test_what_an_earlier_run_left_at_a_ref_is_no_answer_to_this_one(yard: Yard) -> None:
    workers = yard.workers()
    assert await workers.free_ref(EXP) == EXP
    await workers.dispatch(yard.recipe(), EXP)
    await yard.deliver({"src/work": "40"}, "w1")
    again = await workers.free_ref(EXP)
    assert again == f"{EXP}.2"
    await workers.dispatch(yard.recipe(), again)
    assert await workers.collect(1, again, yard.base) is None
    assert await yard.deliver({"src/work": "30"}, "w2") == again
    assert await workers.free_ref(EXP) == f"{EXP}.3"


@pytest.mark.parametrize(
    ("address", "handed"),
    [
        ("https://ada:secret@git.example/r.git", "https://git.example/r.git"),
        ("https://token@git.example:8443/r.git", "https://git.example:8443/r.git"),
        ("ssh://git:secret@git.example/r.git", "ssh://git@git.example/r.git"),
        ("git@git.example:team/r.git", "git@git.example:team/r.git"),
    ],
)
def test_the_address_a_worker_is_handed_has_no_password(yard: Yard, address: str, handed: str) -> None:
    git(yard.root, "remote", "set-url", "origin", address)
    assert Hub(Repository.find(yard.root), "origin").address == handed


def test_a_hub_beside_the_repository_is_found_from_elsewhere(yard: Yard) -> None:
    git(yard.root, "remote", "set-url", "origin", "../hub.git")
    assert Hub(Repository.find(yard.root), "origin").address == str(yard.hub.resolve())


async def refused(yard: Yard) -> str:
    with pytest.raises(ProposalError) as caught:
        await yard.workers().collect(1, EXP, yard.base)
    return caught.value.message


def commit(clone: Path, path: str, text: str) -> None:
    (clone / path).parent.mkdir(parents=True, exist_ok=True)
    (clone / path).write_text(text)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "forged")


class TestForgeries:
    @pytest.fixture(autouse=True)
    async def delivered(self, yard: Yard) -> None:
        await yard.workers().dispatch(yard.recipe(), EXP)
        await yard.deliver({"src/work": "40"})

    async def test_a_file_beside_the_result(self, yard: Yard) -> None:
        yard.push(lambda clone: commit(clone, "more.txt", "x"))
        assert "more.txt" in await refused(yard)

    async def test_an_edit_outside_of_its_scope(self, yard: Yard) -> None:
        def forge(clone: Path) -> None:
            result = (clone / "result.yaml").read_text()
            git(clone, "reset", "--quiet", "--hard", "HEAD~1")
            head = git(clone, "rev-parse", "HEAD").strip()
            commit(clone, "measure.sh", "echo '{}'\n")
            commit(clone, "result.yaml", result.replace(head, git(clone, "rev-parse", "HEAD").strip()))

        yard.push(forge)
        assert "measure.sh" in await refused(yard)

    async def test_an_edit_outside_that_is_taken_back_before_the_end(self, yard: Yard) -> None:
        def forge(clone: Path) -> None:
            result, measure = (clone / "result.yaml").read_text(), (clone / "measure.sh").read_text()
            git(clone, "reset", "--quiet", "--hard", "HEAD~1")
            head = git(clone, "rev-parse", "HEAD").strip()
            commit(clone, "measure.sh", "echo '{}'\n")
            commit(clone, "measure.sh", measure)
            commit(clone, "result.yaml", result.replace(head, git(clone, "rev-parse", "HEAD").strip()))

        yard.push(forge)
        assert "measure.sh" in await refused(yard)

    async def test_a_link_in_its_scope(self, yard: Yard) -> None:
        def forge(clone: Path) -> None:
            result = (clone / "result.yaml").read_text()
            git(clone, "reset", "--quiet", "--hard", "HEAD~1")
            head = git(clone, "rev-parse", "HEAD").strip()
            (clone / "src" / "held").symlink_to("../held-out.sh")
            git(clone, "add", "--all")
            git(clone, "commit", "--quiet", "--message", "forged")
            commit(clone, "result.yaml", result.replace(head, git(clone, "rev-parse", "HEAD").strip()))

        yard.push(forge)
        assert "src/held a link" in await refused(yard)

    async def test_a_result_for_a_commit_that_is_not_in_it(self, yard: Yard) -> None:
        def forge(clone: Path) -> None:
            head = git(clone, "rev-parse", "HEAD~1").strip()
            text = (clone / "result.yaml").read_text().replace(head, "f" * 40)
            git(clone, "reset", "--quiet", "--hard", "HEAD~1")
            commit(clone, "result.yaml", text)

        yard.push(forge)
        assert "is not in what was pushed" in await refused(yard)

    async def test_a_result_that_is_no_result(self, yard: Yard) -> None:
        def forge(clone: Path) -> None:
            git(clone, "reset", "--quiet", "--hard", "HEAD~1")
            commit(clone, "result.yaml", "base_sha: [")

        yard.push(forge)
        assert "result.yaml" in await refused(yard)

    async def test_no_result_at_all(self, yard: Yard) -> None:
        yard.push(lambda clone: void(git(clone, "reset", "--quiet", "--hard", "HEAD~1")))
        assert "result.yaml is not a file" in await refused(yard)

    async def test_a_result_measured_on_something_else(self, yard: Yard) -> None:
        delivery = await yard.workers().collect(1, EXP, yard.base)
        assert delivery is not None
        elsewhere = Dispatched(number=1, base_sha="e" * 40, ref=EXP)
        assert "was handed out" in objection_to(delivery, elsewhere, ("work",))
        here = Dispatched(number=1, base_sha=yard.base, ref=EXP)
        assert objection_to(delivery, here, ("work", "memory")) == "its reference lacks memory"


def void(_: object) -> None:
    """For lambdas whose value says nothing."""


async def test_a_worker_that_measures_nothing_delivers_nothing(yard: Yard) -> None:
    await yard.workers().dispatch(yard.recipe(), EXP)
    with pytest.raises(ProposalError, match="gave no numbers"):
        await yard.deliver({"src/work": "not a number"})
    assert EXP not in yard.at_hub()


async def test_a_base_that_moved_at_the_hub_is_not_worked_on(yard: Yard) -> None:
    await yard.workers().dispatch(yard.recipe(), EXP)
    (yard.root / "src" / "work").write_text("90")
    git(yard.root, "commit", "--quiet", "--all", "--message", "next")
    base_ref = next(ref for ref in yard.at_hub() if "base-" in ref)
    git(yard.root, "push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{base_ref}")
    with pytest.raises(GitError, match="was handed out"):
        await yard.deliver({"src/work": "40"})


@pytest.mark.parametrize("data", [b"", b"[]", b'{"version": 2}', b'{"version": 1}'])
def test_a_file_that_is_no_recipe_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(SetupError, match=r"no recipe|recipe of version 2"):
        read_payload(data)


class _Locked(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="hub"')
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def locked_hub() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Locked)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/repo.git"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_hub_that_wants_a_password_is_an_error_and_no_question(yard: Yard, locked_hub: str) -> None:
    git(yard.root, "remote", "set-url", "origin", locked_hub)
    with pytest.raises(GitError, match="wants somebody to sign in"):
        Hub(Repository.find(yard.root), "origin").push(yard.base, EXP)
