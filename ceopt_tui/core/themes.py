"""Failure themes over time: ids that stay, and a person's edits that hold through every later grouping.

Arithmetic on the journal's records; who groups feedback, and by what, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from schemas.judging_records import Theme, ThemeEdited, ThemesGrouped

Group = tuple[str, str, Sequence[str]]  # name, what would have to change, cases

SAME_THEME = 0.6  # likeness from which a group is a theme that was there before
_CASES_COUNT = 2.0  # cases say more about what a theme is than its wording, which a model may change every time
_WORD = re.compile(r"\w{3,}")
_NUMBER = re.compile(r"t(\d+)")


@dataclass(frozen=True)
class ThemesInForce:
    """The last grouping under a person's edits: every failing case is in exactly one of the three."""

    themes: tuple[Theme, ...] = ()  # the largest first
    dismissed: tuple[Theme, ...] = ()
    unexplained: tuple[str, ...] = ()


@dataclass(frozen=True)
class ThemeShare:
    """How many of the failing cases of one grouping a theme held."""

    count: int
    failing: int

    @property
    def share(self) -> float:
        """0 where nothing failed."""
        return self.count / self.failing if self.failing else 0.0


def current_themes(groupings: Sequence[ThemesGrouped], edits: Sequence[ThemeEdited]) -> tuple[Theme, ...]:
    """The themes a proposer may take up: the last grouping as a person edited it, dismissed themes left out."""
    return themes_in_force(groupings, edits).themes


def themes_in_force(groupings: Sequence[ThemesGrouped], edits: Sequence[ThemeEdited]) -> ThemesInForce:
    """The last grouping as a person edited it. Edits of a theme that has no cases now wait for its return."""
    if not groupings:
        return ThemesInForce()
    themes = {theme.id: theme for theme in _grouped_ever(groupings)}
    dismissed: set[str] = set()
    for edit in edits:
        if edit.op == "dismiss":
            dismissed.add(edit.theme)
        elif edit.op == "restore":
            dismissed.discard(edit.theme)
        else:
            _edit(themes, edit)
    standing = sorted((theme for theme in themes.values() if theme.cases), key=_largest_first)
    return ThemesInForce(
        tuple(theme for theme in standing if theme.id not in dismissed),
        tuple(theme for theme in standing if theme.id in dismissed),
        groupings[-1].unexplained,
    )


def known_themes(groupings: Sequence[ThemesGrouped], edits: Sequence[ThemeEdited] = ()) -> tuple[Theme, ...]:
    """What the next grouping must know so that ids stay: every theme there ever was, as grouped or split off.

    Those of the last grouping come first, with their cases; the others have none and keep their ids from being reused.
    """
    themes = {theme.id: theme for theme in _grouped_ever(groupings)}
    for edit in edits:
        if edit.op == "split":
            _edit(themes, edit)
    return tuple(sorted(themes.values(), key=lambda theme: (not theme.cases, _number(theme.id), theme.id)))


def new_theme_id(known: Iterable[Theme]) -> str:
    """The id of a theme that was never there before; `known` as `known_themes` gives it."""
    return f"t{max((_number(theme.id) for theme in known), default=0) + 1}"


def stable(previous: Sequence[Theme], grouped: Sequence[Group]) -> tuple[Theme, ...]:
    """The groups as themes: one that was there before keeps its id and name, others count on from the highest id.

    Groups have no case in common. Live themes are matched before those that have no cases any more.
    """
    matched = _matches([theme for theme in previous if theme.cases], grouped, {})
    matched |= _matches([theme for theme in previous if not theme.cases], grouped, matched)
    last = _number(new_theme_id(previous)) - 1
    themes = []
    for place, (name, change, cases) in enumerate(grouped):
        old = matched.get(place)
        if old is None:
            last += 1
        listed = tuple(sorted(cases))
        themes.append(
            Theme(id=old.id if old else f"t{last}", name=old.name if old else name, change=change, cases=listed)
        )
    return tuple(sorted(themes, key=_largest_first))


def trend(
    groupings: Sequence[ThemesGrouped], edits: Sequence[ThemeEdited] = ()
) -> Mapping[str, tuple[ThemeShare, ...]]:
    """For every theme its share of the failing cases, one entry a grouping, oldest first; edits hold for them all."""
    moments = [themes_in_force(groupings[: place + 1], edits) for place in range(len(groupings))]
    ids = {theme.id for moment in moments for theme in (*moment.themes, *moment.dismissed)}
    return {identifier: tuple(_share(moment, identifier) for moment in moments) for identifier in sorted(ids)}


def on_theme_and_rest(
    theme_cases: Collection[str], differences: Mapping[str, float]
) -> tuple[float | None, float | None]:
    """Mean difference on a theme's cases and on all others; None where a side has no measured case."""
    inside = [value for case, value in differences.items() if case in theme_cases]
    outside = [value for case, value in differences.items() if case not in theme_cases]
    return fmean(inside) if inside else None, fmean(outside) if outside else None


def _grouped_ever(groupings: Sequence[ThemesGrouped]) -> list[Theme]:
    """Every theme as it was last grouped; those that are not in the last grouping have no cases any more."""
    last = {theme.id: theme for grouping in groupings for theme in grouping.themes}
    live = {theme.id for theme in groupings[-1].themes} if groupings else set()
    return [theme if theme.id in live else theme.model_copy(update={"cases": ()}) for theme in last.values()]


def _edit(themes: dict[str, Theme], edit: ThemeEdited) -> None:
    """Carries out an edit that changes themes themselves; one that names nothing known changes nothing."""
    theme = themes.get(edit.theme)
    if theme is None:
        return
    if edit.op == "rename" and edit.name:
        themes[theme.id] = theme.model_copy(update={"name": edit.name})
    if edit.op == "merge" and edit.into in themes and edit.into != theme.id:
        _move(themes, theme, themes[edit.into], theme.cases)
    if edit.op == "split" and edit.into and edit.into != theme.id:
        fresh = Theme(id=edit.into, name=edit.name or theme.name, change=theme.change, cases=())
        _move(themes, theme, themes.get(edit.into, fresh), [case for case in theme.cases if case in edit.cases])


def _move(themes: dict[str, Theme], source: Theme, target: Theme, cases: Collection[str]) -> None:
    stay = tuple(case for case in source.cases if case not in cases)
    themes[source.id] = source.model_copy(update={"cases": stay})
    themes[target.id] = target.model_copy(update={"cases": tuple(sorted({*target.cases, *cases}))})


@dataclass(frozen=True)
class _Match:
    likeness: float
    theme: int
    group: int


def _matches(themes: Sequence[Theme], groups: Sequence[Group], taken: Mapping[int, Theme]) -> dict[int, Theme]:
    """The best pairs first, each theme and each group once; equal pairs in the order given."""
    free = [place for place in range(len(groups)) if place not in taken]
    pairs = [_Match(_likeness(theme, groups[group]), at, group) for at, theme in enumerate(themes) for group in free]
    matched: dict[int, Theme] = {}
    used: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (-pair.likeness, pair.theme, pair.group)):
        if pair.likeness >= SAME_THEME and pair.group not in matched and pair.theme not in used:
            matched[pair.group] = themes[pair.theme]
            used.add(pair.theme)
    return matched


def _likeness(theme: Theme, group: Group) -> float:
    """Shared cases (Jaccard, counted double) and shared words of name and change (Dice): 0 to 3."""
    name, change, cases = group
    before, now = set(theme.cases), set(cases)
    shared = len(before & now) / len(before | now) if before | now else 0.0
    old_words, new_words = _words(theme.name, theme.change), _words(name, change)
    total = len(old_words) + len(new_words)
    return _CASES_COUNT * shared + (2 * len(old_words & new_words) / total if total else 0.0)


def _words(name: str, change: str) -> set[str]:
    return set(_WORD.findall(f"{name} {change}".casefold()))


def _share(moment: ThemesInForce, identifier: str) -> ThemeShare:
    sizes = {theme.id: len(theme.cases) for theme in (*moment.themes, *moment.dismissed)}
    return ThemeShare(sizes.get(identifier, 0), sum(sizes.values()) + len(moment.unexplained))


def _largest_first(theme: Theme) -> tuple[int, int, str]:
    return -len(theme.cases), _number(theme.id), theme.id


def _number(identifier: str) -> int:
    found = _NUMBER.fullmatch(identifier)
    return int(found[1]) if found else 0
