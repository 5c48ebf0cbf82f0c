"""Does what is done with a text take time in proportion to its length? CPU time for texts of 25 to 200 kB.

Each column doubles from line to line where it is linear; the last line says by how much 200 kB takes longer than 25 kB
(8 is linear). `python tests/benchmarks/bench_texts.py`
"""

from __future__ import annotations

import time
from collections.abc import Callable

from schemas.evalset import Case
from texttargets.edits import Edit, SectionEdit, apply_edits
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.rules import split_rules

SIZES_KB = (25, 50, 100, 200)
CASES = 200
REPEATS = 3


def main() -> None:
    rows = [_measured(size) for size in SIZES_KB]
    names = list(rows[0])
    print(f"{'':>8}" + "".join(f"{name:>26}" for name in names))
    for size, row in zip(SIZES_KB, rows, strict=True):
        print(f"{size:>5} kB" + "".join(f"{row[name] * 1000:>23.1f} ms" for name in names))
    print(f"{'growth':>8}" + "".join(f"{rows[-1][name] / rows[0][name]:>25.1f}x" for name in names))


def _measured(size_kb: int) -> dict[str, float]:
    text = _text(size_kb * 1000)
    edits = [SectionEdit("Section 20", "## Section 20\n\nNew."), Edit("Rule 111:", "Rule one:")]
    after = apply_edits({"p": text}, edits)["p"]
    protected = tuple(rule.id for rule in split_rules(after) if rule.kind == "list_item" and rule.text in text)
    cases = [Case(id=f"c{n}", input=f"What of parcel {n} and bill {n * 37}?", expected="x") for n in range(CASES)]
    plain = make_guard(sources=LeakSources(cases), syntax="brace")
    guarding = make_guard(sources=LeakSources(cases), syntax="brace", limits=Limits(protect=protected))
    return {
        "rules": _cpu_s(lambda: split_rules(text)),
        "two edits": _cpu_s(lambda: apply_edits({"p": text}, edits)),
        "guard": _cpu_s(lambda: plain({"p": text}, {"p": after})),
        "guard, all rules protected": _cpu_s(lambda: guarding({"p": text}, {"p": after})),
    }


def _cpu_s(work: Callable[[], object]) -> float:
    """The quickest of a few times, so that what else the machine does counts little."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _text(size: int) -> str:
    """A Markdown text with a byte-order mark and CRLF."""
    lines, length, number = ["\ufeff# Rules\r\n\r\n"], 0, 0
    while length < size:
        number += 1
        if number % 20 == 0:
            lines.append(f"\r\n## Section {number}\r\n\r\n")
        elif number % 50 == 1:
            lines.append(f'```json\r\n{{"rule": {number}}}\r\n```\r\n')
        else:
            lines.append(
                f"- Rule {number}: a message about item {number * 7} and {{name}} goes to queue {number % 9}.\r\n"
            )
        length += len(lines[-1])
    return "".join(lines)


if __name__ == "__main__":
    main()
