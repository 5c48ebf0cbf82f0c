"""`ceopt schema NAME`."""

from __future__ import annotations

import click

from schemas.json_schema import schema_text


@click.command("schema")
@click.argument("name", type=click.Choice(["spec", "evalset", "labels", "study", "hypotheses", "study-cases"]))
def command(name: str) -> None:
    """Print the JSON Schema of a file that a person writes, for editors that complete and check."""
    click.echo(schema_text(name), nl=False)
