"""The files a spec names, read from disk; everything that is wrong with any of them comes out at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.errors import InputError, Problem
from schemas.loading import LoadedEvalSet, LoadedSpec, load_evalset
from texttargets.target_file import read_target


@dataclass
class NamedFiles:
    """Texts by their place in the repository, eval sets in order, and what is wrong."""

    texts: dict[str, str] = field(default_factory=dict)
    evalsets: list[LoadedEvalSet] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def named_files(loaded: LoadedSpec, root: Path) -> NamedFiles:
    """Reads target and eval sets; `root` is the repository's."""
    target, evalset, named = loaded.spec.target, loaded.spec.evalset, NamedFiles()
    for name in target.files if target else ():
        try:
            path = _locate(loaded, root, name, ("target", "files"))
            place = path.resolve().relative_to(root.resolve()).as_posix()
            named.texts[place] = read_target(path, place).text
        except InputError as error:
            named.problems += error.problems
    for name in evalset.paths if evalset else ():
        try:
            named.evalsets.append(load_evalset(_locate(loaded, root, name, ("evalset",))))
        except InputError as error:
            named.problems += error.problems
    return named


def _locate(loaded: LoadedSpec, root: Path, name: str, key: tuple[str, ...]) -> Path:
    """A file the spec names: beside the spec, else from the repository's root."""
    places = (loaded.file.resolve().parent / name, root / name)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        looked = f"neither beside the spec nor from the repository's root ({root})"
        raise InputError(
            [Problem(str(loaded.file), loaded.line(*key), ".".join(key), f"{name} is not there: {looked}")]
        )
    if not found.resolve().is_relative_to(root.resolve()):
        raise InputError(
            [Problem(str(loaded.file), loaded.line(*key), ".".join(key), f"{name} is outside the repository")]
        )
    return found
