"""Reads a study, with every file it names, and reports every problem at once, each with file, line and key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import BaseModel

from ceopt_tui.errors import InputError, Problem
from schemas.loading import checked, read_bytes
from schemas.problems import problem_at
from schemas.spec_rule import Broken
from schemas.study import PROGRAMS, SKILL_FILE, Hypotheses, Study, text_kind
from schemas.study_cases import GateAnswer, JudgedAnswer, OutcomeAnswer, StudyCase, StudyCases
from schemas.study_rules import broken_case_answers, broken_hypothesis_rules, broken_study_rules
from schemas.yaml_strict import EVALSET_BYTES, SPEC_BYTES, Document, read

STUDY_NAME = "study.yaml"
MOST_BESIDE = 300
_NOT_PART = frozenset({".git", "__pycache__", "node_modules", ".DS_Store"})
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class LoadedStudy:
    """A study that can be run, and the exact bytes of every file it is made of, by path from its folder."""

    folder: Path
    study: Study
    hypotheses: Hypotheses
    cases: tuple[StudyCase, ...]
    files: Mapping[str, bytes]

    def text(self, path: str) -> str:
        """A file as text."""
        return self.files[path].decode("utf-8")

    def tree(self, folder: str) -> dict[str, bytes]:
        """The files below a folder, by path from it."""
        start = folder.rstrip("/") + "/"
        return {name[len(start) :]: raw for name, raw in sorted(self.files.items()) if name.startswith(start)}

    def references(self, name: str) -> dict[str, str]:
        """What lies beside the skill that is this text, by path from the skill's folder; nothing for other texts.

        Bytes that are no text are kept as halves of surrogate pairs.
        """
        path = self.study.texts[name]
        if text_kind(path) != "skill":
            return {}
        folder = path.removesuffix(SKILL_FILE)
        beside = (one for one in self.files if one.startswith(folder) and one != path)
        return {one[len(folder) :]: self.files[one].decode("utf-8", "surrogateescape") for one in sorted(beside)}


def load_study(path: Path) -> LoadedStudy:
    """The study in a folder, or at its study.yaml. Raises InputError with every problem of every file."""
    file = path / STUDY_NAME if path.is_dir() else path
    reader = _Reader(file.parent)
    study = reader.model(Study, file.name, SPEC_BYTES, broken_study_rules)
    if study is None:
        raise InputError(reader.problems)
    for name in study.texts.values():
        reader.words(name)
        if text_kind(name) == "skill":
            reader.beside(name)
    for target in study.bound_targets:
        if target.script is not None:
            reader.bytes(target.script, SPEC_BYTES)
    before = len(reader.problems)
    cases = tuple(reader.cases(study))
    all_cases = len(reader.problems) == before
    registered = reader.model(
        Hypotheses,
        study.hypotheses,
        SPEC_BYTES,
        lambda found: broken_hypothesis_rules(study, found, cases) if all_cases else (),
    )
    if registered is not None:
        reader.problems += _same_texts(file.parent, study, registered, reader.files)
    if reader.problems or registered is None:
        raise InputError(list(dict.fromkeys(reader.problems)))
    return LoadedStudy(file.parent, study, registered, cases, reader.files)


class _Reader:
    """Files of one folder, read once each, and what is wrong with them."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[Problem] = []
        self.files: dict[str, bytes] = {}
        self._folder = folder

    def model(self, model: type[M], name: str, limit: int, rules: Callable[[M], Iterable[Broken]]) -> M | None:
        """The values of a file; None, and its problems noted, where it is not sound."""

        def broken(value: M | None, document: Document) -> list[Problem]:
            found = rules(value) if value is not None else ()
            return [problem_at(document, rule.path, rule.message) for rule in found]

        raw = self.bytes(name, limit)
        if raw is None:
            return None
        try:
            return checked(model, read(raw, str(self._folder / name), limit=limit), broken)
        except InputError as error:
            self.problems += error.problems
            return None

    def cases(self, study: Study) -> Iterator[StudyCase]:
        """The cases of every file; an id that stands in two of them is a problem."""
        seen: set[str] = set()
        for name in study.cases:

            def rules(found: StudyCases) -> Iterator[Broken]:
                yield from broken_case_answers(found.cases)
                yield from self._material(found)
                yield from self._judged(found, study)
                yield from self._work(found, study)
                for number, case in enumerate(found.cases):
                    if case.id in seen:
                        yield Broken(("cases", number, "id"), f"stands twice: '{case.id}'")
                    seen.add(case.id)

            found = self.model(StudyCases, name, EVALSET_BYTES, rules)
            yield from found.cases if found is not None else ()

    def beside(self, skill: str) -> None:
        """Reads all that lies in the folder of a skill: its references go where it goes."""
        own = PurePosixPath(skill).parent
        if own == PurePosixPath():
            what = "needs a folder of its own: all that lies beside it would go into every cell, answers too"
            self.problems.append(Problem(str(self._folder / skill), 0, "", what))
            return
        found = sorted(
            path for path in (self._folder / own).rglob("*") if path.is_file() and not _NOT_PART & set(path.parts)
        )
        if len(found) > MOST_BESIDE:
            what = f"lies among {len(found)} files; at most {MOST_BESIDE} go into every cell"
            self.problems.append(Problem(str(self._folder / skill), 0, "", what))
            return
        for path in found:
            self.bytes(path.relative_to(self._folder).as_posix(), SPEC_BYTES)

    def words(self, name: str) -> None:
        """Reads a file that must be text and hold some."""
        raw = self.bytes(name, SPEC_BYTES)
        if raw is not None and (fault := _text_fault(raw)):
            self.problems.append(Problem(str(self._folder / name), 0, "", fault))

    def _judged(self, found: StudyCases, study: Study) -> Iterator[Broken]:
        for number, case in enumerate(found.cases):
            if case.is_judged and study.judge is None:
                what = f"needs a judge: `{case.answer.type}` is scored by a model. Write `judge` in {STUDY_NAME}"
                yield Broken(("cases", number, "answer", "type"), what)
            for name, path in case.answer.dimensions.items() if isinstance(case.answer, JudgedAnswer) else ():
                raw = self.bytes(path, SPEC_BYTES)
                if raw is not None and (fault := _text_fault(raw)):
                    yield Broken(("cases", number, "answer", "dimensions", name), f"{path} {fault}")

    def _work(self, found: StudyCases, study: Study) -> Iterator[Broken]:
        for number, case in enumerate(found.cases):
            answer, at = case.answer, ("cases", number)
            if not isinstance(answer, GateAnswer | OutcomeAnswer):
                continue
            other = next((target for target in study.bound_targets if target.harness not in PROGRAMS), None)
            if other is not None:
                what = f"needs a program that works in a folder, and the target `{other.id}` is `{other.harness}`"
                yield Broken((*at, "answer", "type"), what)
            hidden = () if isinstance(answer, GateAnswer) else (("tests", answer.tests), ("naive", answer.naive))
            for key, folder in (("files", case.files or ""), ("golden", answer.golden), *hidden):
                names = self.tree(folder)
                if not names:
                    yield Broken((*at, *(() if key == "files" else ("answer",)), key), f"holds no file: {folder}")
                told = [name for name in names if key == "tests" and name.rpartition("/")[2] in (case.input or "")]
                if told:
                    yield Broken((*at, "input"), f"names a hidden test: {told[0]}")

    def tree(self, folder: str) -> list[str]:
        """Reads every file below a folder; gives their paths from it."""
        found = sorted(
            path
            for path in (self._folder / folder).rglob("*")
            if path.is_file() and not _NOT_PART & set(path.relative_to(self._folder).parts)
        )
        for path in found:
            self.bytes(path.relative_to(self._folder).as_posix(), EVALSET_BYTES)
        return [path.relative_to(self._folder / folder).as_posix() for path in found]

    def _material(self, found: StudyCases) -> Iterator[Broken]:
        for number, case in enumerate(found.cases):
            if case.material is None:
                continue
            raw = self.bytes(case.material, SPEC_BYTES)
            if raw is not None and (fault := _text_fault(raw)):
                yield Broken(("cases", number, "material"), f"{case.material} {fault}")

    def bytes(self, name: str, limit: int) -> bytes | None:
        """The bytes of a file below the folder; None, and its problem noted, where they cannot be had."""
        path = self._folder / name
        if not path.resolve().is_relative_to(self._folder.resolve()):
            self.problems.append(Problem(str(path), 0, "", "is a link out of the study's folder"))
            return None
        try:
            self.files[name] = read_bytes(path, limit)
        except InputError as error:
            self.problems += error.problems
            return None
        return self.files[name]


def _same_texts(folder: Path, study: Study, registered: Hypotheses, files: Mapping[str, bytes]) -> Iterator[Problem]:
    """A text held against itself can only be found equal."""
    for hypothesis in registered.hypotheses:
        names = [study.texts.get(name or "", "") for name in (hypothesis.treatment, hypothesis.control)]
        if names[0] in files and files[names[0]] == files.get(names[1]):
            what = f"{hypothesis.treatment} and {hypothesis.control} of {hypothesis.id} hold the same bytes"
            yield Problem(str(folder / names[0]), 0, "", what)


def _text_fault(raw: bytes) -> str:
    """Why bytes are no text to send; empty where they are."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8: byte 0x{raw[error.start]:02X} at {error.start}"
    return "" if text.strip() else "holds no text"
