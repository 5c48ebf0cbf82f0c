"""How often the guards refuse a good rewrite and let a bad one pass, guard by guard; `bench_leaks.py` has the leaks.

The second part is the figure to go by. Each rewrite that is judged wrongly is printed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from guard_corpus import PARTS, judged


def main() -> None:
    for part in PARTS:
        found = judged(part)
        good, bad = [one for one in found if not one.wanted], [one for one in found if one.wanted]
        alarms, missed = [one for one in good if one.is_wrong], [one for one in bad if one.is_wrong]
        print(f"{part}:")
        print(f"  false alarms {len(alarms)} of {len(good)} good rewrites ({len(alarms) / len(good):.1%})")
        print(f"  missed       {len(missed)} of {len(bad)} bad rewrites ({len(missed) / len(bad):.1%})")
        by_code, lost = Counter(one.wanted for one in bad), Counter(one.wanted for one in missed)
        false = Counter(code for one in alarms for code in one.codes)
        for code in sorted({*by_code, *false}):
            print(f"    {code:<22} false alarms {false[code]}, missed {lost[code]} of {by_code[code]}")
        for one in (*alarms, *missed):
            what = f"refused ({', '.join(sorted(one.codes))})" if not one.wanted else f"missed {one.wanted}"
            print(f"    {what}  {one.scenario}: {one.rewrite}")


if __name__ == "__main__":
    main()
