"""One line of a journal becomes a record: the reader of its kind is asked first, which saves trying the union."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import get_args

from pydantic import ValidationError

from schemas.records import RECORDS, AnyRecord

Reader = Callable[[bytes], AnyRecord]

# No text of a record can hold this: within a string the quotes are escaped.
_KIND = re.compile(rb'"kind":"([a-z_]+)"')
_READERS: dict[bytes, Reader] = {
    model.model_fields["kind"].default.encode(): model.__pydantic_validator__.validate_json
    for model in get_args(get_args(AnyRecord)[0])
}


def read_record(line: bytes) -> AnyRecord:
    """The record in a line. Raises pydantic's ValidationError where it holds none."""
    found = _KIND.search(line)
    reader = _READERS.get(found[1]) if found else None
    if reader is not None:
        try:
            return reader(line)
        except ValidationError:
            pass  # the union says in full what is wrong
    return RECORDS.validate_json(line)
