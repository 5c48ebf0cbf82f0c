"""A writer killed at any moment loses nothing it had been told was stored."""

import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.replay import replay
from schemas.records import Noted

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ceopt_tui.journal.journal import Journal
from schemas.records import Noted

journal = Journal.open(Path(sys.argv[1]), now=lambda: datetime.now(UTC))
number = len(journal.replayed.records)
while True:
    stored = journal.append([Noted(text=f"{number + k} " + "x" * 9_000) for k in range(3)])
    number += 3
    print(stored[-1].seq, flush=True)
"""


@pytest.mark.crash
def test_a_killed_writer_leaves_a_prefix_with_everything_acknowledged(tmp_path: Path) -> None:
    rng = random.Random(7)
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(rng.randrange(1, 40))]
        writer.kill()
        acknowledged += [int(said) for said in writer.stdout.read().split("\n")[:-1]]
        writer.stdout.close()
        writer.wait()

        records = replay(tmp_path / JOURNAL_NAME).records
        assert len(records) >= acknowledged[-1]
        numbers = [int(record.text.split()[0]) for record in records if isinstance(record, Noted)]
        assert numbers == list(range(len(records)))


@pytest.mark.crash
def test_a_journal_cut_at_any_byte_opens_with_a_prefix(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "whole", now=lambda: datetime(2026, 1, 2, tzinfo=UTC)) as journal:
        journal.append([Noted(text="提示 one"), Noted(text="two\r\n"), Noted(text="three")])
    whole = journal.path.read_bytes()
    ends = [end for end in range(len(whole) + 1) if end == 0 or whole[end - 1 : end] == b"\n"]
    path = tmp_path / JOURNAL_NAME
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        assert replay(path).good_bytes == max(end for end in ends if end <= length)
