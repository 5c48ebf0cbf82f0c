"""Makes the first spec and eval set for a target file. Writes nothing: it gives the texts and where they belong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_tui.errors import InputError, Problem, SetupError
from schemas.evalset import Case, EvalSet
from schemas.writing import PASS_RATE, evalset_yaml, minimal_spec_yaml
from texttargets.checks import unusable_check
from texttargets.importers.reading import ImportResult, read_failures
from texttargets.syntax_guess import guess_syntax
from texttargets.target_file import for_model, read_target

# Files whose folder says more than their own name.
_GENERIC = frozenset({"skill", "agents", "claude", "gemini", "prompt", "system", "readme", "index"})
_NOTES_IN_RUBRIC = 5


@dataclass(frozen=True)
class NewProject:
    """Files to write, by path below the root; `imported` is the account of the failures that were read."""

    files: Mapping[Path, str]
    spec: Path
    imported: ImportResult | None


def init_files(target: Path, failures: Path | None = None, *, root: Path) -> NewProject:
    """The spec and the eval set to start from.

    Raises InputError when the target or the failures cannot be read, SetupError when a file is there already.
    """
    place = _below(target, root)
    text = read_target(target, place).text
    if not for_model(text).strip():
        raise InputError(
            [Problem(place, 0, "", "is empty: write the instruction first, there is nothing to improve yet")]
        )
    name = project_name(Path(place), root)
    imported = read_failures([failures]) if failures else None
    evalset = imported.evalset(name) if imported else EvalSet(name=name, cases=(_EXAMPLE,))
    spec_path, evalset_path = root / f"{name}.spec.yaml", root / "evals" / f"{name}.yaml"
    taken = [path for path in (spec_path, evalset_path) if path.exists()]
    if taken:
        names = " and ".join(path.relative_to(root).as_posix() for path in taken)
        raise SetupError(f"{names} {'is' if len(taken) == 1 else 'are'} there already; nothing was written")
    spec = minimal_spec_yaml(
        name,
        f"Make {place} do better on its recorded failures",
        _target(place, text, evalset),
        {"file": evalset_path.relative_to(root).as_posix()},
        metric=_metric(evalset),
    )
    return NewProject({spec_path: spec, evalset_path: evalset_yaml(evalset)}, spec_path, imported)


def project_name(place: Path, root: Path) -> str:
    """A kebab-case name from the file's name, or from its folder's where the file's name is a common one."""
    candidates = [place.stem, place.parent.name, root.resolve().name]
    if place.stem.lower() in _GENERIC:
        candidates = [*candidates[1:], place.stem]
    return next((name for name in map(_kebab, candidates) if name), "text")


def _kebab(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _below(target: Path, root: Path) -> str:
    try:
        return target.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise InputError([Problem(str(target), 0, "", f"is outside {root.resolve()}")]) from None


def _target(place: str, text: str, evalset: EvalSet) -> dict[str, Any]:
    inputs = [case.input for case in evalset.cases]
    syntax = guess_syntax(text, inputs) if any(isinstance(given, dict) for given in inputs) else "none"
    return {"files": [place]} if syntax == "none" else {"files": [place], "kind": "template", "syntax": syntax}


def _metric(evalset: EvalSet) -> dict[str, Any]:
    if all(unusable_check(case, evalset.check) is None for case in evalset.cases):
        return PASS_RATE
    return {
        "primary": {"type": "judge", "name": "quality", "direction": "maximize"},
        "judge": {"rubric": _rubric(evalset), "scoring": {"primary": "quality"}},
    }


def _rubric(evalset: EvalSet) -> str:
    """Levels a person can use as they are, with what went wrong so far as the faults to look for."""
    notes = list(dict.fromkeys(case.went_wrong.strip() for case in evalset.cases if case.went_wrong))
    faults = "".join(f"- {' '.join(note.split())}\n" for note in notes[:_NOTES_IN_RUBRIC])
    known = f"\nFaults seen before:\n{faults}" if faults else ""
    return (
        "quality: how well does the output do what the input asks for?\n"
        "5: complete and correct, nothing to change\n"
        "4: correct, with a small flaw in form\n"
        "3: usable after a correction\n"
        "2: mostly wrong or incomplete\n"
        "1: wrong, empty or beside the point\n" + known
    )


_EXAMPLE = Case(
    id="example",
    input="Put an input here that went wrong.",
    expected="The answer you wanted",
    observed="The answer you got",
    went_wrong="Why that is wrong. Replace this case, and add at least four more.",
    tags=("example",),
)
