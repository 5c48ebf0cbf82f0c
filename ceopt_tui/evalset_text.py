"""Writes changed cases into the text of an eval set; every other byte of it, comments and order too, stays.

Pure: text in, text out. What comes out is read again and compared before it is given back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ceopt_tui.errors import InputError
from ceopt_tui.evalset_places import CasePlace, CasesPlace, KeyPlace, places_of
from schemas.evalset import Case, EvalSet
from schemas.loading import LoadedEvalSet, parse
from schemas.writing import case_document, evalset_json, evalset_yaml
from schemas.yaml_dump import dump
from schemas.yaml_strict import EVALSET_BYTES

_ORDER = tuple(Case.model_fields)
_BOM = b"\xef\xbb\xbf"
# Line ends of YAML that JSON leaves as they are.
_ESCAPES = {code: f"\\u{code:04x}" for code in (0x7F, *range(0x80, 0xA0), 0x2028, 0x2029, 0xFEFF)}


@dataclass(frozen=True)
class Entry:
    """A case of the draft; `origin` is its place in the file, None for one that is new."""

    case: Case
    origin: int | None = None


@dataclass(frozen=True)
class Splice:
    """Replaces the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """As they will stand in the file."""
    return tuple(sorted(entries, key=lambda entry: (entry.origin is None, entry.origin or 0)))


def rewritten(loaded: LoadedEvalSet, entries: Sequence[Entry]) -> tuple[bytes, bool]:
    """The file with these cases, new ones behind the last; and whether all other bytes of it are as they were.

    They are, but in a form of YAML that nobody writes by hand. Cases from the file keep the file's order.
    """
    entries = in_order(entries)
    wanted = loaded.evalset.model_copy(update={"cases": tuple(entry.case for entry in entries)})
    mark = _BOM if loaded.raw.startswith(_BOM) else b""
    text = loaded.raw.removeprefix(_BOM).decode("utf-8")
    places = places_of(text)
    for whole_cases in (False, True) if places else ():
        assert places is not None
        splices = _splices(text, places, loaded.evalset.cases, entries, whole_cases)
        raw = mark + _spliced(text, splices).encode("utf-8")
        if _says(raw, wanted):
            return raw, True
    written_anew = evalset_json if loaded.file.suffix.lower() == ".json" else evalset_yaml
    return written_anew(wanted).encode("utf-8"), False


def _says(raw: bytes, wanted: EvalSet) -> bool:
    try:
        return parse(EvalSet, raw, "", limit=EVALSET_BYTES) == wanted
    except InputError:
        return False


def _spliced(text: str, splices: Sequence[Splice]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    parts, done = [], 0
    for splice in sorted(splices, key=lambda one: (one.start, one.end)):
        parts += [text[done : splice.start], splice.text.replace("\n", newline)]
        done = max(done, splice.end)
    return "".join([*parts, text[done:]])


def _splices(
    text: str, places: CasesPlace, before: Sequence[Case], entries: Sequence[Entry], whole_cases: bool
) -> list[Splice]:
    kept = {entry.origin: entry.case for entry in entries if entry.origin is not None}
    splices: list[Splice] = []
    for number, place in enumerate(places.cases):
        case = kept.get(number)
        if case is None:
            splices.append(_removed(text, places, number, any(origin < number for origin in kept)))
        elif case != before[number]:
            changed = _whole if whole_cases or place.flow or places.flow else _by_keys
            splices += changed(text, places, place, before[number], case)
    new = [entry.case for entry in entries if entry.origin is None]
    above = kept.get(len(places.cases) - 1, before[-1])
    return [*splices, *_appended(text, places, above, new)]


# One case


def _by_keys(text: str, _places: CasesPlace, place: CasePlace, before: Case, after: Case) -> Iterator[Splice]:
    """Only what stands differently; comments between and behind the other keys stay."""
    old, new = case_document(before), case_document(after)
    for name in _ORDER:
        if old.get(name) == new.get(name):
            continue
        key = place.key(name)
        if name not in new:
            if key is not None:
                yield _without_key(text, place, key)
        elif key is not None:
            yield _with_value(text, key, {name: new[name]})
        else:
            yield _with_key(text, place, name, new[name])


def _with_value(text: str, key: KeyPlace, entry: dict[str, Any]) -> Splice:
    lines = dump(entry)[:-1].split("\n")
    end, tail = key.end, ""
    if _at_line_start(text, end):
        tail = "\n"
    elif len(lines) > 1:  # a comment behind the value would become part of a literal block
        end = _line_end(text, end)
        comment = text[key.end : end].strip()
        lines[0] += f"  {comment}" if comment else ""
    if _keeps(entry):
        end, tail = _behind_blank_lines(text, _next_line(text, end)), "\n"
    return Splice(key.start, end, "\n".join([lines[0], *_indented(lines[1:], key.column)]) + tail)


def _with_key(text: str, place: CasePlace, name: str, value: Any) -> Splice:
    earlier = [key for key in place.keys if key.name in _ORDER[: _ORDER.index(name)]]
    above = earlier[-1] if earlier else place.keys[-1]
    at = _next_line(text, above.end)
    lines = dump({name: value})[:-1].split("\n")
    body = "\n".join(_indented(lines, above.column)) + "\n"
    return Splice(at, at, body if _at_line_start(text, at) else f"\n{body}")


def _without_key(text: str, place: CasePlace, key: KeyPlace) -> Splice:
    if key is place.keys[0] and len(place.keys) > 1:  # it may share its line with the dash
        return Splice(key.start, place.keys[1].start, "")
    return Splice(_line_start(text, key.start), _next_line(text, key.end), "")


def _whole(text: str, places: CasesPlace, place: CasePlace, _before: Case, after: Case) -> Iterator[Splice]:
    """The block of this case alone."""
    if places.flow:
        yield Splice(place.start, place.end, _in_braces(after))
        return
    start, end = _dash(text, places, place), _next_line(text, place.end)
    yield Splice(start, _behind_blank_lines(text, end) if _keeps(case_document(after)) else end, _item(after, places))


# Cases that come and go


def _removed(text: str, places: CasesPlace, number: int, behind_another: bool) -> Splice:
    place = places.cases[number]
    if places.flow and behind_another:
        return Splice(places.cases[number - 1].end, place.end, "")
    if places.flow:
        return Splice(place.start, places.cases[min(number + 1, len(places.cases) - 1)].start, "")
    start, end = _dash(text, places, place), _next_line(text, place.end)
    return Splice(start, _behind_blank_lines(text, end) if _is_blank_above(text, start) else end, "")


def _appended(text: str, places: CasesPlace, above: Case, cases: Sequence[Case]) -> Iterator[Splice]:
    """Behind the last case, with an empty line between where the file has them."""
    if not cases:
        return
    last = places.cases[-1]
    if places.flow:
        yield Splice(last.end, last.end, "".join(f", {_in_braces(case)}" for case in cases))
        return
    at = _next_line(text, last.end)
    spaced = len(places.cases) > 1 and _is_blank_above(text, _dash(text, places, last))
    gaps = ["" if _keeps(case_document(one)) or last.keys[-1].keeps_blanks else "\n" for one in (above, *cases)]
    body = "".join((gap if spaced else "") + _item(case, places) for gap, case in zip(gaps, cases, strict=False))
    yield Splice(at, at, body if _at_line_start(text, at) else f"\n{body}")


def _item(case: Case, places: CasesPlace) -> str:
    lines = dump([case_document(case)])[:-1].split("\n")
    return "\n".join(_indented(lines, places.column)) + "\n"


def _in_braces(case: Case) -> str:
    return json.dumps(case_document(case), ensure_ascii=False).translate(_ESCAPES)


def _keeps(value: Any) -> bool:
    """Ends the last text of it with empty lines, so that those below would be taken for its own?"""
    while isinstance(value, (dict, list)) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return isinstance(value, str) and value.endswith("\n\n")


# Lines


def _indented(lines: Sequence[str], column: int) -> list[str]:
    return [" " * column + line if line else line for line in lines]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Before the line's end."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end and text[end - 1] == "\r" else end


def _next_line(text: str, at: int) -> int:
    """The start of the line after this place; the place itself where it starts a line."""
    if _at_line_start(text, at):
        return at
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _at_line_start(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _behind_blank_lines(text: str, at: int) -> int:
    while at < len(text):
        end = _next_line(text, at + 1) if text[at] != "\n" else at + 1
        if text[at:end].strip():
            break
        at = end
    return at


def _is_blank_above(text: str, start: int) -> bool:
    return start > 0 and not text[_line_start(text, start - 1) : start].strip()


def _dash(text: str, places: CasesPlace, place: CasePlace) -> int:
    """The start of the line with the dash of a case."""
    start = _line_start(text, place.start)
    while start and not text.startswith(" " * places.column + "-", start):
        start = _line_start(text, start - 1)
    return start
