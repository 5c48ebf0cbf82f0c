"""Parts of a text by name: a heading's section, or a rule by its id or its words."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from texttargets.rules import REMOVABLE, Rule, split_rules, without_mark

NAMED = REMOVABLE | {"heading"}


@dataclass(frozen=True)
class Section:
    """Part of a text by heading or rule, without blank lines around it; `line` counts from 1."""

    title: str
    text: str
    start: int
    end: int
    line: int
    headings: tuple[str, ...] = ()  # that lead to it, from the top


def find_sections(text: str, wanted: str) -> list[Section]:
    """All sections whose heading is `wanted` (case, `#` and closing colon aside), or the rules with that id or text."""
    return sections_named(text, (wanted,))[wanted]


def headings_of(text: str) -> list[str]:
    """The titles of all headings, in order."""
    return [rule.title for rule in split_rules(text) if rule.kind == "heading"]


def sections_named(text: str, names: Collection[str]) -> Mapping[str, list[Section]]:
    """The same for many names; the text is read once. A heading's id stands for its line alone."""
    rules = split_rules(text)
    by_id = {rule.id: place for place, rule in enumerate(rules)}
    by_words: defaultdict[str, list[int]] = defaultdict(list)
    for place, rule in enumerate(rules):
        if rule.kind == "heading":
            by_words[_plain(rule.title)].append(place)
        elif rule.kind in REMOVABLE:
            by_words[_plain(rule.content)].append(place)
    found = {}
    for name in names:
        places = set(by_words.get(_plain(name), ())) | ({by_id[name]} if name in by_id else set())
        found[name] = [_section(text, rules, place, whole=name != rules[place].id) for place in sorted(places)]
    return found


def names_of_nothing(texts: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Names that no text has a section or rule for, each with the closest one there is, or an empty text."""
    found = [sections_named(text, names) for text in texts]
    missing = [name for name in names if not any(sections[name] for sections in found)]
    known = {
        _plain(words): words
        for text in (texts if missing else ())
        for rule in split_rules(text)
        if (words := rule.title if rule.kind == "heading" else rule.words) and rule.kind in NAMED
    }
    closest = [get_close_matches(_plain(name), known, n=1) for name in missing]
    return [(name, known[near[0]] if near else "") for name, near in zip(missing, closest, strict=True)]


def _section(text: str, rules: tuple[Rule, ...], place: int, *, whole: bool) -> Section:
    """What a rule's name stands for: a heading's up to the next heading of its level, any other rule alone."""
    rule, end = rules[place], rules[place].end
    if whole and rule.kind == "heading":
        after = (other.start for other in rules[place + 1 :] if 0 < other.level <= rule.level)
        end = next(after, len(text))
    blank = rule.text.index(rule.content)
    start = rule.start + blank
    lines = text[start:end].split("\n")
    while lines and not lines[-1].strip():
        del lines[-1]
    content = "\n".join(lines).removesuffix("\r")
    line = rule.line + rule.text.count("\n", 0, blank)
    return Section(rule.title, content, start, start + len(content), line, rule.headings)


def _plain(name: str) -> str:
    """A name as people write it: the mark of a heading or list item, case and a closing colon aside."""
    return " ".join(without_mark(name.strip().strip("#").strip()).casefold().split()).rstrip(":").strip()
