"""How often the leak guard refuses a good rewrite and lets a bad one pass, on what it was tuned on and what it was not.

The second part is the figure to go by. Each rewrite that is judged wrongly is printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from leak_corpus import PARTS, verdicts


def main() -> None:
    for part in PARTS:
        good, bad = verdicts(part, "good"), verdicts(part, "bad")
        alarms = [verdict for verdict in good if verdict.refused]
        missed = [verdict for verdict in bad if not verdict.refused]
        print(f"{part}:")
        print(f"  false alarms {len(alarms)} of {len(good)} good rewrites ({len(alarms) / len(good):.1%})")
        print(f"  missed       {len(missed)} of {len(bad)} bad rewrites ({len(missed) / len(bad):.1%})")
        for verdict in (*alarms, *missed):
            what = "refused" if verdict.refused else "missed "
            print(f"    {what}  {verdict.scenario}: {verdict.rewrite!r}")


if __name__ == "__main__":
    main()
