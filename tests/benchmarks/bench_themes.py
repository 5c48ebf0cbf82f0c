"""How well does grouping feedback without a model agree with themes labelled by hand?

Prints pairwise F1 and the adjusted Rand index per labelled set, for the half the grouping was tuned on and for the
held-out half, beside two plain baselines. One hand wrote remarks and word lists, so the halves of one set flatter; the
set without a tuned half was written once the word lists stood. `python tests/benchmarks/bench_themes.py`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from pathlib import Path

import yaml
from rapidfuzz import fuzz

from texttargets.themes.grouping import group_feedback
from texttargets.themes.items import FailingItem

LABELLED = Path(__file__).parents[1] / "data" / "themes"
HALVES = ("tuned", "held_out")
ALONE = "other"  # remarks about something nobody else speaks of

Labels = dict[str, str]
Method = Callable[[Sequence[FailingItem]], Labels]


def labelled(path: Path, half: str) -> tuple[list[FailingItem], Labels]:
    """The items of one half and the theme of each."""
    items, labels = [], {}
    for theme, remarks in yaml.safe_load(path.read_text("utf-8")).get(half, {}).items():
        for number, remark in enumerate(remarks):
            item = FailingItem(f"{theme}-{number}", (remark,))
            items.append(item)
            labels[item.case_id] = item.case_id if theme == ALONE else theme
    return items, labels


def by_likeness(items: Sequence[FailingItem]) -> Labels:
    """The grouping that runs use; unexplained items are by themselves."""
    found = {item.case_id: item.case_id for item in items}
    for number, group in enumerate(group_feedback(items).themes):
        found |= dict.fromkeys(group.cases, f"group {number}")
    return found


def by_token_set(items: Sequence[FailingItem]) -> Labels:
    """Each item joins the first earlier one that shares 60 % of its words, as the checks' reasons are grouped."""
    names: dict[str, str] = {}
    found = {}
    for item in items:
        remark = item.feedback[0]
        near = next((key for name, key in names.items() if fuzz.token_set_ratio(name, remark) >= 60), item.case_id)
        names.setdefault(remark, near)
        found[item.case_id] = near
    return found


def one_group(items: Sequence[FailingItem]) -> Labels:
    """Everything is one theme."""
    return dict.fromkeys((item.case_id for item in items), "all")


METHODS: dict[str, Method] = {
    "likeness (used)": by_likeness,
    "token set ratio": by_token_set,
    "one group": one_group,
}


def pairwise_f1(wanted: Labels, found: Labels) -> tuple[float, float, float]:
    """(F1, precision, recall) over pairs of items that are in one group."""
    pairs = list(combinations(sorted(wanted), 2))
    together = sum(wanted[one] == wanted[two] for one, two in pairs)
    said = sum(found[one] == found[two] for one, two in pairs)
    both = sum(wanted[one] == wanted[two] and found[one] == found[two] for one, two in pairs)
    f1 = 2 * both / (together + said) if together + said else 1.0
    return f1, both / said if said else 1.0, both / together if together else 1.0


def adjusted_rand(wanted: Labels, found: Labels) -> float:
    """Agreement of two groupings corrected for chance (Hubert and Arabie 1985): 1 is the same, 0 is chance."""

    def pairs(counts: Counter[object]) -> int:
        return sum(comb(count, 2) for count in counts.values())

    cells = pairs(Counter((wanted[item], found[item]) for item in wanted))
    rows, columns = pairs(Counter(wanted.values())), pairs(Counter(found.values()))
    chance = rows * columns / comb(len(wanted), 2)
    most = (rows + columns) / 2
    return (cells - chance) / (most - chance) if most != chance else 1.0


def agreement(method: Method, path: Path, half: str) -> tuple[float, float, float, float]:
    """(F1, precision, recall, adjusted Rand) of a method on one half of a labelled set."""
    items, wanted = labelled(path, half)
    found = method(items)
    return *pairwise_f1(wanted, found), adjusted_rand(wanted, found)


def main() -> None:
    """Prints the table."""
    print(
        f"{'set':<18}{'half':<10}{'items':>6}{'themes':>8}  {'method':<18}{'F1':>6}{'prec':>7}{'recall':>8}{'ARI':>7}"
    )
    for path in sorted(LABELLED.glob("*.yaml")):
        for half in HALVES:
            items, wanted = labelled(path, half)
            if not items:
                continue
            themes = sum(count > 1 for count in Counter(wanted.values()).values())
            for name, method in METHODS.items():
                f1, precision, recall, rand = agreement(method, path, half)
                print(
                    f"{path.stem:<18}{half:<10}{len(items):>6}{themes:>8}  {name:<18}"
                    f"{f1:>6.2f}{precision:>7.2f}{recall:>8.2f}{rand:>7.2f}"
                )


if __name__ == "__main__":
    main()
