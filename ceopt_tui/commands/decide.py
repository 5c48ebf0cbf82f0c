"""`ceopt decide PAYLOAD.json|-`."""

from __future__ import annotations

import sys
from typing import BinaryIO

import click

from ceopt_tui.core.decide import decide_json
from ceopt_tui.errors import InputError, Problem


@click.command("decide")
@click.argument("payload", type=click.File("rb"), default="-")
def command(payload: BinaryIO) -> None:
    """Decide a payload (a file, or - for standard input); exits 0 whenever it prints a verdict."""
    try:
        text = payload.read()
    except OSError as error:
        raise InputError([Problem(str(payload.name), 0, "", f"cannot be read: {error.strerror}")]) from error
    sys.stdout.write(decide_json(text.decode("utf-8", errors="replace")) + "\n")
