"""Whatever an export holds, the answer is cases or a message that names the file, never a traceback."""

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError
from texttargets.importers.detect import FORMATS
from texttargets.importers.reading import read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"
FILES = sorted(path for path in DATA.rglob("*") if path.suffix in (".json", ".jsonl"))
ODD: list[Any] = [
    *(None, True, 0, -1.5, 10**30, "", " ", "x", "[", "{}", '"', "\u2028", [], {}, [None], [[]], ["a"], [{}]),
    *({"a": None}, {"": []}, {"role": 1}, {"role": "user"}, {"type": "text"}, {"content": {}}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, item in items for place in places(item, (*path, name)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_a_file_with_odd_values_in_it_never_breaks_a_reader(file: Path, tmp_path: Path) -> None:
    chance = random.Random(file.name)
    text = file.read_text("utf-8")
    lines = file.suffix == ".jsonl"
    value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    where = places(value)[1:]
    formats = [None, *(known.name for known in FORMATS)]
    for number in range(20):
        mutant = value
        for _ in range(chance.randint(1, 3)):
            place = chance.choice(where)
            try:
                mutant = changed(mutant, place, chance.choice(ODD))
            except (KeyError, IndexError, TypeError):
                continue  # an earlier change took the place away
        path = tmp_path / file.name
        written = "".join(json.dumps(one) + "\n" for one in mutant) if lines and isinstance(mutant, list) else None
        path.write_text(json.dumps(mutant, indent=number % 2 or None) if written is None else written, "utf-8")
        for options in ({"skip_bad": True}, {"format": formats[number % len(formats)]}):
            with contextlib.suppress(InputError):
                read_failures([path], all_items=True, rename_duplicates=True, **options).evalset("s")
