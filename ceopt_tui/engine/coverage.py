"""Coverage as a run meets it: the file in the state folder, and the rules of this very text that it protects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from ceopt_tui.core.coverage_carried import RuleAt, carried
from ceopt_tui.core.coverage_words import protected_lines, unmapped_lines
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.errors import StorageError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error
from schemas.coverage import Coverage

COVERAGE_NAME = "coverage.json"


def save_coverage(folder: Path, coverage: Coverage) -> Path:
    """Writes the map into a state folder, whole or not at all; gives its path."""
    path = folder / COVERAGE_NAME
    write_atomic(path, (coverage.model_dump_json(indent=1) + "\n").encode("utf-8"))
    return path


def load_coverage(folder: Path) -> Coverage | None:
    """The map of a state folder; None where there is none. StorageError when it cannot be read."""
    path = folder / COVERAGE_NAME
    try:
        return Coverage.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise storage_error(error, path) from error
    except ValidationError as error:
        raise StorageError(
            f"{path} is damaged or of another version, so it is not known which rules it protects",
            "Delete it, or measure it again with `ceopt coverage SPEC`.",
        ) from error


def carry_over(archived: Path, folder: Path) -> None:
    """A run that starts afresh keeps the map: it is bound to text and cases, not to the run."""
    coverage = load_coverage(archived)
    if coverage is not None:
        folder.mkdir(exist_ok=True)
        save_coverage(folder, coverage)


def with_coverage(
    inputs: RunInputs, coverage: Coverage | None, rules: Sequence[RuleAt], *, protect: bool, pruning: bool = False
) -> RunInputs:
    """The inputs with the rules that no case guards protected and named for approval.

    `rules` are those of the text as it is now. What a map of an earlier text or of other cases says of a rule holds as
    far as it can; a rule it cannot tell of counts as unguarded.
    """
    if coverage is None:
        lines = unmapped_lines(rules, protect=protect, pruning=pruning)
        return replace(inputs, approval_lines=(*inputs.approval_lines, *lines))
    now = carried(coverage, rules, text_digest=inputs.text_digest, measurement_digest=inputs.measurement_digest)
    unguarded = tuple(dict.fromkeys(rule.rule for rule in now.unguarded)) if protect else ()
    return replace(
        inputs,
        coverage=now,
        protect=(*inputs.protect, *unguarded),
        approval_lines=(*inputs.approval_lines, *protected_lines(now, protect=protect)),
    )
