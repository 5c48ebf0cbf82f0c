"""Makes the first spec and eval set for a target file. Writes nothing: it gives the texts and where they belong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_tui.errors import InputError, Problem, SetupError
from schemas.evalset import EvalSet
from schemas.spec_target import Target
from schemas.writing import PASS_RATE, evalset_yaml, minimal_spec_yaml
from texttargets.checks import unusable_check
from texttargets.importers.reading import ImportResult, read_failures
from texttargets.init_example import example_case
from texttargets.placeholders import Syntax, names_of, root_of
from texttargets.syntax_guess import guess_syntax, outside_code, syntax_of_name
from texttargets.target_file import for_model, read_target

# Files whose folder says more than their own name.
_GENERIC = frozenset({"skill", "agents", "claude", "gemini", "prompt", "system", "readme", "index"})
_NOTES_IN_RUBRIC = 5
_MOST_REFERENCES = 40
_NAMES_OF_INPUTS = frozenset(
    ("content", "conversation", "document", "email", "message", "prompt", "query", "question", "request", "text")
)


@dataclass(frozen=True)
class NewProject:
    """Files to write, by path below the root; `imported` is the account of the failures that were read.

    `notes`: what was taken for granted, for the user to look at.
    """

    files: Mapping[Path, str]
    spec: Path
    evalset: Path
    imported: ImportResult | None
    notes: tuple[str, ...] = ()


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
    given = imported.evalset(name) if imported else None
    syntax = _template_syntax(place, text, [case.input for case in given.cases] if given else None)
    evalset = given or EvalSet(name=name, cases=(example_case(text, syntax),))
    spec_path, evalset_path = root / f"{name}.spec.yaml", root / "evals" / f"{name}.yaml"
    taken = [path for path in (spec_path, evalset_path) if path.exists()]
    if taken:
        names = " and ".join(path.relative_to(root).as_posix() for path in taken)
        raise SetupError(f"{names} {'is' if len(taken) == 1 else 'are'} there already; nothing was written")
    spec = minimal_spec_yaml(
        name,
        f"Make {place} do better on its recorded failures",
        _target(place, syntax, root),
        {"file": evalset_path.relative_to(root).as_posix()},
        metric=_metric(evalset),
    )
    files = {spec_path: spec, evalset_path: evalset_yaml(evalset)}
    return NewProject(files, spec_path, evalset_path, imported, _notes(text, syntax))


def _notes(text: str, syntax: Syntax) -> tuple[str, ...]:
    if syntax == "none":
        return ()
    names = ", ".join(names_of(text, syntax))
    return (f"{names}: taken for placeholders that cases fill (kind: template); without that line all is sent as is",)


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


def _target(place: str, syntax: Syntax, root: Path) -> dict[str, Any]:
    """The target's keys: what is filled in, or what a skill tells its reader to open."""
    if syntax != "none":
        return {"files": [place], "kind": "template", "syntax": syntax}
    references = list(_references(place, root)) if _kind(place) == "skill" else []
    return {"files": [place], **({"references": references} if references else {})}


def _references(place: str, root: Path) -> Iterator[str]:
    """Texts below the skill's folder of that name; without tools its reader cannot open them."""
    folder = (root / place).parent / "references"
    for path in sorted(folder.rglob("*"))[:_MOST_REFERENCES]:
        if path.is_file() and path.suffix.lower() in {".md", ".txt"} and path.resolve().is_relative_to(root.resolve()):
            yield path.relative_to(root).as_posix()


def _template_syntax(place: str, text: str, inputs: Sequence[object] | None) -> Syntax:
    """How the text's placeholders are written where cases are meant to fill it, else none; no `inputs`: not known."""
    if _kind(place) in {"skill", "agents"}:
        return "none"
    by_name = syntax_of_name([place])
    if any(isinstance(given, dict) for given in inputs or ()):
        syntax = by_name or guess_syntax(text, inputs or ())
        keys = {root_of(str(key)) for given in inputs or () if isinstance(given, dict) for key in given}
        return syntax if by_name or keys & set(names_of(text, syntax)) else "none"
    syntax = by_name or guess_syntax(outside_code(text))
    if syntax != "brace" or inputs is None:
        return syntax
    names = names_of(text, syntax)  # one brace may as well be part of an answer's form
    return syntax if "input" in names or (len(names) == 1 and names[0].lower() in _NAMES_OF_INPUTS) else "none"


def _kind(place: str) -> str:
    return Target(files=(place,)).kind


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
