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
from schemas.loading import is_evalset_file, load_evalset
from schemas.spec_target import Target
from schemas.writing import evalset_yaml, minimal_spec_yaml
from texttargets.importers.reading import ImportResult, read_failures
from texttargets.init_example import example_case
from texttargets.init_metric import Wishes, measured
from texttargets.placeholders import Syntax, names_of, root_of
from texttargets.syntax_guess import guess_syntax, outside_code, syntax_of_name
from texttargets.target_file import for_model, read_target

# Files whose folder says more than their own name.
_GENERIC = frozenset({"skill", "agents", "claude", "gemini", "prompt", "system", "readme", "index"})
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


def init_files(target: Path, failures: Path | None = None, wishes: Wishes | None = None, *, root: Path) -> NewProject:
    """The spec and the eval set to start from. `failures` that are an eval set are used where they are.

    Raises InputError when the target or the failures cannot be read, SetupError when a file is there already.
    """
    wishes = wishes or Wishes()
    place = _below(target, root)
    text = read_target(target, place).text
    if not for_model(text).strip():
        raise InputError(
            [Problem(place, 0, "", "is empty: write the instruction first, there is nothing to improve yet")]
        )
    name = project_name(Path(place), root)
    spec_path, evalset_path = root / f"{name}.spec.yaml", root / "evals" / f"{name}.yaml"
    recorded = _recorded(failures, name, root)
    given = recorded.evalset
    syntax = _template_syntax(place, text, [case.input for case in given.cases] if given else None)
    drafted = given or EvalSet(name=name, cases=(example_case(text, syntax),))
    evalset, metric = measured(drafted, wishes)
    if recorded.place is not None and evalset == given:
        evalset_path, files = recorded.place, {}
    else:
        files = {evalset_path: evalset_yaml(evalset)}
    spec = minimal_spec_yaml(
        name,
        f"Make {place} do better on its recorded failures",
        _target(place, syntax, root),
        {"file": evalset_path.relative_to(root).as_posix()},
        metric=metric,
        models={tier: {"model": model} for tier, model in wishes.models.items()},
        stopping=wishes.stopping,
    )
    files = {spec_path: spec, **files}
    taken = [path for path in files if path.exists()]
    if taken:
        names = " and ".join(path.relative_to(root).as_posix() for path in taken)
        raise SetupError(f"{names} {'is' if len(taken) == 1 else 'are'} there already; nothing was written")
    return NewProject(files, spec_path, evalset_path, recorded.account, _notes(text, syntax))


@dataclass(frozen=True)
class _Recorded:
    """The failures a person has: an eval set, with its place if it is one already, else the account of its import."""

    evalset: EvalSet | None = None
    account: ImportResult | None = None
    place: Path | None = None


def _recorded(failures: Path | None, name: str, root: Path) -> _Recorded:
    if failures is None:
        return _Recorded()
    if _is_evalset(failures) and failures.resolve().is_relative_to(root.resolve()):
        return _Recorded(load_evalset(failures).evalset, place=root / failures.resolve().relative_to(root.resolve()))
    account = read_failures([failures])
    return _Recorded(account.evalset(name), account)


def _is_evalset(path: Path) -> bool:
    try:
        return path.suffix in {".yaml", ".yml"} and is_evalset_file(path)
    except InputError:
        return False


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
