"""The eval set an import writes: what stands there already, and writing it in the format its name asks for.

A file that cannot be read is refused before anything is imported, and stays as it is.
"""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.errors import InputError, Problem
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error
from schemas.evalset import EvalSet
from schemas.loading import LoadedEvalSet, load_evalset
from schemas.writing import evalset_json, evalset_yaml

_FORMATS = {".yaml": evalset_yaml, ".yml": evalset_yaml, "": evalset_yaml, ".json": evalset_json}
_KNOWN = "An eval set is written as YAML (.yaml, .yml) or JSON (.json): give --out such a name."
_UNTOUCHED = "Nothing was changed. Put the file right (`ceopt evalset check` reads it too), or name another --out."


def standing(out: Path) -> LoadedEvalSet | None:
    """The set at `out`; None where there is nothing yet. Raises InputError when it cannot be brought up to date."""
    if not (out.exists() or out.is_symlink()):
        if out.suffix.lower() not in _FORMATS:
            raise InputError([Problem(str(out), 0, "", f"{out.suffix} is no format of an eval set")], _KNOWN)
        return None
    if out.is_dir():
        message = "is a folder, not an eval set"
        raise InputError([Problem(str(out), 0, "", message)], f"Name a file in it, for example --out {out}/cases.yaml")
    try:
        return load_evalset(out)
    except InputError as error:
        raise InputError(error.problems, _hint(out, error)) from None


def write_new(out: Path, evalset: EvalSet) -> None:
    """Raises InputError when there is no folder to write into, StorageError when the disk refuses."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        message = f"cannot be written: {_no_folder(out)} is a file, not a folder"
        raise InputError([Problem(str(out), 0, "", message)], "Name another --out.") from None
    except OSError as error:
        raise storage_error(error, out.parent) from error
    write_atomic(out, _FORMATS[out.suffix.lower()](evalset).encode("utf-8"))


def _hint(out: Path, error: InputError) -> str:
    if "is not UTF-8" in error.message:
        return f"{_UNTOUCHED} Eval sets are UTF-8: `iconv -f CP1252 -t UTF-8 {out}` converts one that was not saved so."
    known = out.suffix.lower() in _FORMATS
    return f"{error.hint} {_UNTOUCHED}".strip() if known else f"{_UNTOUCHED} {_KNOWN}"


def _no_folder(out: Path) -> Path:
    return next((parent for parent in out.parents if parent.exists() and not parent.is_dir()), out.parent)
