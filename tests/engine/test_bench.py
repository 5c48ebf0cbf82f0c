"""The bench on a real repository: checkouts of commits, ports, shared files, time limits, and what is left behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from code_repository import code_repository, worktree_count

from ceopt_tui import programs
from ceopt_tui.core.command_ports import Printed
from ceopt_tui.engine.backends.bench import HIGHEST_PORT, BenchSetting, CommandBench
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.commits import commit_files
from ceopt_tui.gitops.repository import Repository

KEY = "sk-FAKE-ABCDEFGH12345678"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setattr(programs, "BEAT_S", 0.02)
    monkeypatch.setattr(programs, "GRACE_S", 0.2)
    made = code_repository(tmp_path)
    status, head = made.git("status", "--porcelain"), made.head()
    yield made
    assert (made.git("status", "--porcelain"), made.head()) == (status, head)  # whatever was measured


def bench(repository: Repository, command: str, **more: Any) -> CommandBench:
    environment = {"PATH": os.environ["PATH"], "THE_KEY": KEY}
    setting = BenchSetting({"selection": command}, **{"environment": environment, "secrets": [KEY], **more})
    return CommandBench(repository, repository.root.parent / "bench", setting, asyncio.Lock())


async def run(bench: CommandBench, repository: Repository, slot: int = 2, **more: Any) -> Printed:
    commit = more.pop("commit", repository.resolve("main"))
    return await bench.run(commit, "selection", slot, more.pop("censor_after_s", None))


async def test_a_commit_is_measured_and_not_the_users_own_files(repository: Repository) -> None:
    (repository.root / "src/sort.py").write_text("mine, not committed\n")
    one = bench(repository, """printf '{"text": "%s"}' "$(cat src/sort.py)" """)
    assert (await run(one, repository)).values == {"text": "slow"}
    (repository.root / "src/sort.py").write_text("slow\n")
    repository.git("branch", "other", "main")
    other = commit_files(repository, "other", {"src/sort.py": b"fast\n"}, "other")
    assert (await run(one, repository, commit=other)).values == {"text": "fast"}
    assert (await run(one, repository)).values == {"text": "slow"}
    one.clean()
    assert worktree_count(repository) == 1


async def test_files_built_by_one_sample_are_there_for_the_next_of_the_same_commit_alone(
    repository: Repository,
) -> None:
    one = bench(repository, """echo x >> built.txt; printf '{"built": %s}' "$(wc -l < built.txt)" """)
    found = [(await run(one, repository, slot)).values["built"] for slot in (2, 2, 3)]
    assert found == [1, 2, 1]
    one.clean()


async def test_the_end_of_time_ends_the_whole_group(repository: Repository, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    one = bench(repository, f"sleep 300 & echo $! > {pid}; wait", timeout_s=0.7)
    printed = await run(one, repository)
    assert printed.status == "timeout" and "longer than 0.7 s" in printed.message
    state = Path(f"/proc/{int(pid.read_text())}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


async def test_huge_output_is_ended_or_its_end_is_kept(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo;"
    assert (await run(bench(repository, f"""{talk} echo '{{"ms": 1}}'"""), repository)).values == {"ms": 1}
    monkeypatch.setattr(programs, "MOST_PRINTED_BYTES", 1_000_000)
    printed = await run(bench(repository, "yes"), repository)
    assert printed.status == "error" and "printed more than" in printed.message


async def test_ports_censoring_and_folder_come_by_environment(repository: Repository) -> None:
    script = """printf '{"port": %s, "censor": "%s", "folder": "%s"}' $PORT "$CEOPT_CENSOR_AFTER" "$(basename $PWD)" """
    one = bench(repository, script, port_variable="PORT", port_base=7000, working_directory="src")
    values = [(await run(one, repository, slot)).values for slot in (0, 4, 5, 6)]
    assert [value["port"] for value in values] == [7000, 7002, 7002, 7003]
    assert values[0] == {"port": 7000, "censor": "", "folder": "src"}
    assert (await run(one, repository, censor_after_s=2.5)).values["censor"] == "2.5"
    last = bench(repository, script, port_variable="PORT", port_base=HIGHEST_PORT - 1)
    assert [(await run(last, repository, slot)).values["port"] for slot in (2, 4)] == [HIGHEST_PORT, HIGHEST_PORT - 1]
    gone = bench(repository, script, working_directory="no/such")
    assert (await run(gone, repository)).message == "no/such is no folder of this commit"


async def test_shared_files_are_copies_and_never_lead_out(repository: Repository, tmp_path: Path) -> None:
    (repository.root / "data.bin").write_text("7")
    try:
        one = bench(
            repository, """printf '{"data": %s}' "$(cat data.bin)"; echo 9 > data.bin""", shared_files=["data.bin"]
        )
        assert (await run(one, repository)).values == {"data": 7}
        assert (repository.root / "data.bin").read_text() == "7"
        (repository.root / "out").symlink_to(tmp_path)
        for path in ("/etc/hostname", "../secret", "out/secret", "nowhere"):
            with pytest.raises(SetupError):
                await run(bench(repository, "true", shared_files=[path]), repository, 8)
    finally:
        (repository.root / "data.bin").unlink()
        (repository.root / "out").unlink()


async def test_keys_are_there_for_the_command_and_in_no_message(repository: Repository) -> None:
    assert (await run(bench(repository, """printf '{"l": %s}' ${#THE_KEY}"""), repository)).values == {"l": len(KEY)}
    for command in ("echo bad $THE_KEY >&2; exit 3", "echo $THE_KEY; exit 3", "echo $THE_KEY"):
        printed = await run(bench(repository, command), repository)
        assert printed.status == "error" and KEY not in printed.message and printed.message


async def test_what_a_killed_run_left_is_taken_away(repository: Repository) -> None:
    left = bench(repository, """echo '{"ms": 1}'""")
    await run(left, repository, 2)
    again = bench(repository, """echo '{"ms": 2}'""")  # another process, which knows nothing of it
    assert (await run(again, repository, 2)).values == {"ms": 2}
    await run(again, repository, 4)
    bench(repository, "true").clean()
    assert worktree_count(repository) == 1


async def test_several_are_measured_at_once_in_places_of_their_own(repository: Repository) -> None:
    one = bench(repository, """pwd > where; sleep 0.1; printf '{"where": "%s"}' "$(cat where)" """)
    printed = await asyncio.gather(*(run(one, repository, slot) for slot in range(4)))
    assert len({result.values["where"] for result in printed}) == 4
    one.clean()
