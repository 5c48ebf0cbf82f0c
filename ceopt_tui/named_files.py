"""The files a spec names, read from disk; everything that is wrong with any of them comes out at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.early import PRUNE_SUFFIX
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.skill_folder import skill_files
from judges.rubric import Scale, parse_scale, read_rubric_text
from schemas.labels import Labels
from schemas.labels_file import load_labels
from schemas.loading import LoadedEvalSet, LoadedSpec, evalset_of, load_evalset
from texttargets.excerpt import excerpt
from texttargets.sections import names_of_nothing
from texttargets.target_file import read_target


@dataclass
class NamedFiles:
    """Texts by their place in the repository, eval sets in order, what a judge goes by, and what is wrong."""

    texts: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    evalsets: list[LoadedEvalSet] = field(default_factory=list)
    rubric: str = ""
    singleton_rubric: str = ""
    labels: Labels | None = None
    problems: list[Problem] = field(default_factory=list)


def named_files(loaded: LoadedSpec, root: Path, unwritten: Mapping[Path, bytes] | None = None) -> NamedFiles:
    """Reads target and eval sets; `root` is the repository's. `unwritten`: eval sets that are no files yet."""
    target, evalset, named = loaded.spec.target, loaded.spec.evalset, NamedFiles()
    for key, names, texts in (
        ("files", target.files if target else (), named.texts),
        ("references", target.references if target else (), named.references),
    ):
        for name in names:
            try:
                path = _locate(loaded, root, name, ("target", key))
                place = path.resolve().relative_to(root.resolve()).as_posix()
                texts[place] = read_target(path, place).text
            except InputError as error:
                named.problems += error.problems
    try:
        named.references = {**skill_files(loaded.spec, named.texts, root.resolve()), **named.references}
    except InputError as error:
        named.problems += error.problems
    named.problems += _protecting_nothing(loaded, named.texts)
    drafts = unwritten or {}
    for name in evalset.paths if evalset else ():
        try:
            draft = drafts.get(root / name)
            path = root / name if draft else _locate(loaded, root, name, ("evalset",))
            named.evalsets.append(evalset_of(draft, path) if draft else load_evalset(path))
        except InputError as error:
            named.problems += error.problems
    _read_judge(loaded, root, named)
    return named


def _protecting_nothing(loaded: LoadedSpec, texts: Mapping[str, str]) -> list[Problem]:
    """What `target.protect` names and no text holds would leave open what a person wanted closed."""
    target = loaded.spec.target
    if target is None or len(texts) < len(target.files):
        return []
    problems = []
    for name, closest in names_of_nothing(tuple(texts.values()), target.protect):
        place = target.protect.index(name)
        text = f"{excerpt(name)} is no heading or rule of {', '.join(texts)}"
        text += f"; the closest is {excerpt(closest)}" if closest else ""
        line = loaded.line("target", "protect", place)
        problems.append(Problem(str(loaded.file), line, f"target.protect[{place}]", text))
    return problems


def _read_judge(loaded: LoadedSpec, root: Path, named: NamedFiles) -> None:
    """Rubrics and a person's labels, of a spec whose metric a judge scores. Labels not written yet are none."""
    judge = loaded.spec.metric.judge
    if judge is None or not loaded.spec.is_judged:
        return
    try:
        named.rubric = _rubric(loaded, root, judge.rubric, "rubric")
        named.singleton_rubric = _rubric(loaded, root, judge.singleton_rubric or "", "singleton_rubric")
        path = labels_file(loaded)
        named.labels = load_labels(path) if path is not None and path.exists() else None
        named.problems += _off_scale(path, named.labels, parse_scale(judge.scale))
    except InputError as error:
        named.problems += error.problems


def _off_scale(path: Path | None, labels: Labels | None, scale: Scale) -> list[Problem]:
    """Scores nobody could have given: a labels file is written by ceopt, and this one was changed since."""
    if labels is None:
        return []
    scores = [(place, score) for place, label in enumerate(labels.labels) for score in (label.person, *label.judge)]
    wrong = [(place, score) for place, score in scores if not scale.low <= score <= scale.high]
    text = "is no score of the scale {scale}; delete the entry, or score it again with `ceopt calibrate`"
    return [
        Problem(str(path), 0, f"labels[{place}]", f"{score:g} {text.format(scale=scale)}") for place, score in wrong
    ]


def labels_file(loaded: LoadedSpec) -> Path | None:
    """Where a person's scores of this spec's judge are kept: as it says, else NAME.labels.yaml beside it."""
    judge = loaded.spec.metric.judge
    if judge is None or not loaded.spec.is_judged:
        return None
    default = f"{loaded.spec.name.removesuffix(PRUNE_SUFFIX)}.labels.yaml"
    return loaded.file.resolve().parent / (judge.calibration.labels or default)


def _rubric(loaded: LoadedSpec, root: Path, written: str, key: str) -> str:
    """The rubric itself: as it stands in the spec, or the file named there."""
    if not is_file_name(written):
        return written.strip()
    path = _locate(loaded, root, written.strip(), ("metric", "judge", key))
    return read_rubric_text(path)


def rubric_files(loaded: LoadedSpec, root: Path) -> list[Path]:
    """Rubrics of the judge that have a file of their own."""
    judge = loaded.spec.metric.judge if loaded.spec.is_judged else None
    written = {key: getattr(judge, key, None) or "" for key in ("rubric", "singleton_rubric")}
    return [
        _locate(loaded, root, name.strip(), ("metric", "judge", key))
        for key, name in written.items()
        if is_file_name(name)
    ]


def is_file_name(written: str) -> bool:
    """One line that ends like a text file is a file's name, anything else the rubric itself."""
    line = written.strip()
    return "\n" not in line and " " not in line and Path(line).suffix.lower() in {".md", ".txt", ".rst"}


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
