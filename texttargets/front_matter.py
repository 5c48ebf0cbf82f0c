"""YAML front matter of a text: where it is and whether a loader could read it. It is compared, never dumped."""

import re
from dataclasses import dataclass

import yaml

from texttargets.target_file import BYTE_ORDER_MARK

_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?$|\r?\Z)", re.MULTILINE)


@dataclass(frozen=True)
class FrontMatter:
    """`text` runs from the opening to the closing line; `block` is the YAML between them, from line 2 on."""

    text: str
    block: str
    end: int  # where the body starts


def opens_front_matter(text: str) -> bool:
    """Whether the first line is the opening line of front matter."""
    return _OPENING.match(text.removeprefix(BYTE_ORDER_MARK)) is not None


def find_front_matter(text: str) -> FrontMatter | None:
    """The front matter of a text, or None when there is none or it is never closed."""
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    opening = _OPENING.match(text, start)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    line_end = text.find("\n", closing.start())
    end = len(text) if line_end < 0 else line_end + 1
    return FrontMatter(text[start:end], text[opening.end() : closing.start()], end)


def front_matter_fault(found: FrontMatter) -> tuple[int, str] | None:
    """Line in the file and message of the first thing a YAML loader would refuse, or None.

    Only composed, never constructed: aliases are not followed and no value changes its type.
    """
    try:
        node = yaml.compose(found.block, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        return line + 2, str(error.problem or error)
    except yaml.YAMLError as error:
        return 1, str(error).splitlines()[0]
    if not isinstance(node, yaml.MappingNode):
        return 2, "is not a mapping of keys to values"
    return None


def raw_value(found: FrontMatter, key: str) -> str | None:
    """A top-level value exactly as it is written, or None when the key is missing or the YAML cannot be read."""
    try:
        node = yaml.compose(found.block, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if name.value == key:
            return found.block[value.start_mark.index : value.end_mark.index]
    return None
