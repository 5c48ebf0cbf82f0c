"""Refusals about bytes a rewrite has no business with: the mark, line ends, blanks that end a line."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from ceopt_tui.core.ports import Refusal
from texttargets.target_file import BYTE_ORDER_MARK


def check_bytes(before: str, after: str) -> list[Refusal]:
    """Code out_of_scope. New lines may end in blanks or not, as they like; they take the line end of the file."""
    found = (
        _byte_order_mark(before, after),
        _line_ends(before, after),
        _line_tails(before, after),
        _last_line_end(before, after),
    )
    return [refusal for refusal in found if refusal is not None]


def _byte_order_mark(before: str, after: str) -> Refusal | None:
    had = before.startswith(BYTE_ORDER_MARK)
    if had == after.startswith(BYTE_ORDER_MARK):
        return None
    return _refusal(f"the file {'lost' if had else 'gained'} its byte-order mark", 1)


def _line_ends(before: str, after: str) -> Refusal | None:
    """A file with one kind of line end keeps that kind in every line."""
    if "\n" not in before or _is_mixed(before):
        return None
    was_crlf = "\r\n" in before
    was, now = ("CRLF", "LF") if was_crlf else ("LF", "CRLF")
    lines = after.split("\n")[:-1]
    changed = [number for number, line in enumerate(lines, start=1) if line.endswith("\r") != was_crlf]
    if not changed:
        return None
    if len(changed) == len(lines):
        return _refusal(f"every line end was changed ({was} became {now})", 1)
    return _refusal(f"line {changed[0]} ends in {now}, the lines of the file in {was}", changed[0])


def _line_tails(before: str, after: str) -> Refusal | None:
    """A line with the same words as before, as often as before, keeps the blanks at its end; two mean a break."""
    with_line_end = _is_mixed(before)
    had: defaultdict[str, Counter[str]] = defaultdict(Counter)
    has: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, words, tail in _tails(before, with_line_end):
        had[words][tail] += 1
    for _, words, tail in _tails(after, with_line_end):
        has[words][tail] += 1
    for number, words, tail in _tails(after, with_line_end):
        changed = has[words] - had[words]
        added = max(0, has[words].total() - had[words].total())
        if tail in changed and changed.total() > added:
            return _refusal(f"only the white space at the end of line {number} was changed", number)
    return None


def _tails(text: str, with_line_end: bool) -> Iterator[tuple[int, str, str]]:
    """Number, words and what follows them of each line that is not blank."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        words = line.rstrip()
        if words and not (with_line_end and number == len(lines)):
            tail = line[len(words) :]
            yield number, words, tail if with_line_end else tail.removesuffix("\r")


def _last_line_end(before: str, after: str) -> Refusal | None:
    if not before.endswith("\n") or after.endswith("\n"):
        return None
    old, new = before.rstrip().rsplit("\n", 1)[-1], after.rstrip().rsplit("\n", 1)[-1]
    return (
        _refusal("the line end of the last line is gone", after.count("\n") + 1) if old.strip() == new.strip() else None
    )


def _is_mixed(text: str) -> bool:
    return 0 < text.count("\r\n") < text.count("\n")


def _refusal(message: str, line: int) -> Refusal:
    return Refusal("out_of_scope", message, line)
