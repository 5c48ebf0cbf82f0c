"""Reads specs and eval sets from disk and reports every problem at once, each with file, line and key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from ceopt_tui.errors import InputError, Problem
from schemas.evalset import EvalSet
from schemas.evalset_rules import broken_case_rules
from schemas.key_names import key_names, key_text
from schemas.partial import valid_part
from schemas.problems import closest, problem_at, problems_of
from schemas.spec import Spec
from schemas.spec_defaults import with_text_target_defaults
from schemas.spec_metric import LEGACY_TIERS
from schemas.spec_rules import broken_rules, unattended_rules
from schemas.yaml_strict import EVALSET_BYTES, SPEC_BYTES, Document, read

M = TypeVar("M", bound=BaseModel)
_NAME_THE_SET = "Name the file with the cases; the spec names it under `evalset`."
Rules: TypeAlias = Callable[[M | None, Document], list[Problem]]


@dataclass(frozen=True)
class LoadedSpec:
    """A spec and the exact bytes it came from."""

    spec: Spec
    file: Path
    raw: bytes
    sha256: str
    document: Document
    notes: tuple[str, ...] = ()

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest part of its path that is written out."""
        return self.document.line(path)


@dataclass(frozen=True)
class LoadedEvalSet:
    """An eval set and the exact bytes it came from."""

    evalset: EvalSet
    file: Path
    raw: bytes
    sha256: str
    document: Document

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest part of its path that is written out."""
        return self.document.line(path)


def load_spec(path: Path) -> LoadedSpec:
    """The spec at `path`. Raises InputError with every problem."""
    return spec_of(read_bytes(path, SPEC_BYTES), path)


def spec_of(raw: bytes, path: Path) -> LoadedSpec:
    """The spec these bytes are, which are or will be those of `path`. Raises InputError with every problem."""
    document = read(raw, str(path), limit=SPEC_BYTES)
    spec = checked(Spec, document, _spec_problems)
    return LoadedSpec(spec, path, raw, hashlib.sha256(raw).hexdigest(), document, _notes(spec, document))


def load_evalset(path: Path) -> LoadedEvalSet:
    """The eval set at `path`. Raises InputError with every problem."""
    return evalset_of(read_bytes(path, EVALSET_BYTES), path)


def evalset_of(raw: bytes, path: Path) -> LoadedEvalSet:
    """The eval set these bytes are, which are or will be those of `path`. Raises InputError with every problem."""
    document = read(raw, str(path), limit=EVALSET_BYTES)
    if _is_spec(document.data):
        raise InputError([Problem(str(path), 0, "", "this is a spec, not an eval set")], _NAME_THE_SET)
    evalset = checked(EvalSet, document, broken_case_rules)
    return LoadedEvalSet(evalset, path, raw, hashlib.sha256(raw).hexdigest(), document)


def parse_spec(data: Mapping[str, Any], file: str = "spec") -> Spec:
    """A spec from values that are in memory. Raises InputError with every problem."""
    return checked(Spec, Document(file, dict(data)), _spec_problems)


def parse(model: type[M], raw: bytes, file: str, *, limit: int = SPEC_BYTES) -> M:
    """A file of any other kind. Raises InputError with every problem."""
    return checked(model, read(raw, file, limit=limit), _no_rules)


def unattended_problems(loaded: LoadedSpec) -> list[Problem]:
    """What keeps a run without a person from starting, as far as the spec can say."""
    return [problem_at(loaded.document, rule.path, rule.message) for rule in unattended_rules(loaded.spec)]


def check_file(path: Path) -> list[Problem]:
    """Every problem of a spec or an eval set; which of the two it is, its keys say."""
    try:
        document = read(read_bytes(path, EVALSET_BYTES), str(path), limit=EVALSET_BYTES)
        load_evalset(path) if _is_evalset(document.data) else load_spec(path)
    except InputError as error:
        return error.problems
    return []


def is_evalset_file(path: Path) -> bool:
    """Is a file that can be read an eval set, by its keys?"""
    return _is_evalset(read(read_bytes(path, EVALSET_BYTES), str(path), limit=EVALSET_BYTES).data)


def read_bytes(path: Path, limit: int) -> bytes:
    """The bytes of a file the user named. Raises InputError when it cannot be read or is larger than `limit`."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise InputError([Problem(str(path), 0, "", f"is {size} bytes; the limit is {limit}")])
        return path.read_bytes()
    except OSError as error:
        what = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise InputError([Problem(str(path), 0, "", what)]) from None


def checked(model: type[M], document: Document, rules: Rules[M]) -> M:
    """The values of a document; `rules` hear None where they are unsound. Raises InputError with every problem."""
    problems = list(document.problems)
    value: M | None = None
    if document.sound and not isinstance(document.data, dict):
        problems.append(
            problem_at(
                document,
                (),
                "is empty" if document.data in (None, "") else "must be a mapping of keys, not a list or a text",
            )
        )
    elif document.sound:
        try:
            value = model.model_validate(document.data)
        except ValidationError as error:
            problems.extend(problems_of(error, model, document))
        problems.extend(rules(value, document))
    if problems or value is None:
        raise InputError(sorted(dict.fromkeys(problems), key=lambda problem: problem.line))
    return value


def _spec_problems(spec: Spec | None, document: Document) -> list[Problem]:
    """Rules between keys; a spec with invalid parts is checked as far as its valid parts go."""
    partial = spec is None
    if spec is None:
        spec = valid_part(Spec, with_text_target_defaults(document.data))
    return [problem_at(document, rule.path, rule.message) for rule in broken_rules(spec, partial=partial)]


def _is_evalset(data: Any) -> bool:
    """A file with any key that only specs have is a spec; the name alone says nothing."""
    if not isinstance(data, dict):
        return isinstance(data, list)
    own = key_names(EvalSet)
    return not (data.keys() & (key_names(Spec) - own)) and any(closest(key, own - {"name"}) for key in data)


def _is_spec(data: Any) -> bool:
    return isinstance(data, dict) and "cases" not in data and bool(data.keys() & {"target", "metric"})


def _no_rules(_value: object, _document: Document) -> list[Problem]:
    return []


def _notes(spec: Spec, document: Document) -> tuple[str, ...]:
    notes = []
    if spec.metric.primary.baseline is not None:
        notes.append("metric.primary.baseline is not used: every run measures its own baseline")
    if spec.metric.judge is not None and spec.metric.judge.max_total_cost_usd is None:
        notes.append("metric.judge.max_total_cost_usd is null: judging is uncapped")
    for path in (("metric", "judge", "model"), ("runner", "model"), ("proposer", "model")):
        written = document.at(path)
        if written in LEGACY_TIERS:
            notes.append(f"{key_text(path)}: {written} is read as {LEGACY_TIERS[written]}")
    return tuple(notes)
