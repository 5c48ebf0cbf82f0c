"""Takes a measured text into the file it is for, in two steps: a draft is written first, then laid out and put in.

Nothing is put in that is worse than what is there, or that any guard refuses; the file is then as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_tui.errors import InputError, Problem, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error
from ceopt_tui.study.layout import Step, laid_out, version_of
from ceopt_tui.study.places import output_folder
from ceopt_tui.study.prompts import asked
from ceopt_tui.study.regressing import Measured, regression
from schemas.study import text_kind
from schemas.study_loading import LoadedStudy, load_study
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.syntax_guess import guess_syntax
from texttargets.target_file import read_target

DRAFTS = "drafts"
MOST_SKILL_LINES = 500


@dataclass(frozen=True)
class Released:
    """What came of it. `written` is None where the text is worse than what is there: nothing was changed then."""

    draft: Path
    written: Path | None
    version: str | None
    change: dict[str, Any]


def release(
    study: Path, text: str, target: Path, output: str, *, step: Step = "patch", most_lines: int | None = None
) -> Released:
    """Puts `text` of a study in the place of `target`. InputError and SetupError say what is in the way."""
    loaded = load_study(study)
    if text not in loaded.study.texts:
        raise SetupError(f"the study has no text `{text}`", f"It has {', '.join(loaded.study.texts)}.")
    before = _as_it_is(target)
    baseline = _measured_as(loaded, before, target)
    if baseline == text:
        raise SetupError(f"{target} holds the text `{text}` already")
    change = regression(study, Measured(baseline, output), Measured(text, output))
    draft = _drafted(loaded, text, output)
    if change["change"] == "regressed":
        return Released(draft, None, None, change)
    after = laid_out(loaded.text(loaded.study.texts[text]), before, step)
    _require_fit(loaded, text, target, before, after, most_lines)
    write_atomic(target, after.encode("utf-8"))
    return Released(draft, target, version_of(after), change)


def _as_it_is(target: Path) -> str:
    """The file, which must be committed: a person can then always go back."""
    text = read_target(target).text
    repository = Repository.find(target.parent)
    path = target.resolve().relative_to(repository.root.resolve()).as_posix()
    if repository.dirty([path]):
        raise SetupError(
            f"{target} has changes that are not committed", "Commit them first: it is about to be changed."
        )
    return text


def _measured_as(loaded: LoadedStudy, before: str, target: Path) -> str:
    """The text of the study that is in the file now: only against that is it known whether another is better."""
    for name, path in loaded.study.texts.items():
        own = loaded.text(path)
        if laid_out(own, before, "patch") == laid_out(before, before, "patch"):
            return name
    raise SetupError(
        f"no text of the study is what {target} holds, so nothing says whether another is better than that",
        "Measure it as it is: put its bytes into a text of the study.",
    )


def _drafted(loaded: LoadedStudy, text: str, output: str) -> Path:
    path = output_folder(loaded.folder, output) / DRAFTS / f"{text}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, path) from error
    write_atomic(path, loaded.files[loaded.study.texts[text]])
    return path


def _require_fit(loaded: LoadedStudy, text: str, target: Path, before: str, after: str, most_lines: int | None) -> None:
    """InputError with every reason for which the text does not belong into this file."""
    problems: list[Problem] = []
    limit = most_lines or (MOST_SKILL_LINES if text_kind(target.as_posix()) == "skill" else None)
    lines = after.count("\n")
    if limit is not None and lines > limit:
        problems.append(Problem(str(target), 0, "", f"would have {lines} lines; at most {limit} are allowed"))
    for name, words in loaded.references(text).items():
        place = target.parent / name
        if not place.is_file() or place.read_bytes() != words.encode("utf-8", "surrogateescape"):
            what = f"is not what the text was measured with; copy {name} from the study first"
            problems.append(Problem(str(place), 0, "", what))
    cases = [asked(loaded, case) for case in loaded.cases]
    guard = make_guard(
        sources=LeakSources(cases=cases),
        syntax=guess_syntax(before, [case.input for case in cases]),
        limits=Limits(front_matter_may_change=True),
    )
    path = target.name
    problems += [
        Problem(str(target), refusal.line or 0, refusal.code, refusal.message)
        for refusal in guard({path: before}, {path: after})
    ]
    if problems:
        raise InputError(problems, "Change the text in the study, and measure it again.")
