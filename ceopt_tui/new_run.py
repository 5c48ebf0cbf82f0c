"""A run that is being set up: which files could go into it, what it would detect and cost, and its files once wanted.

Calls no model. Writes only in `write_files`, and never over a file that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ceopt_tui.core.evidence.setting import SMALLEST_SET
from ceopt_tui.core.plan.forecast import plan_lines
from ceopt_tui.core.ports import ResolvedModel, Role
from ceopt_tui.errors import CeoptError, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.inputs import Project, open_project, split_of
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.models import judge_of
from ceopt_tui.pricing import priced_terms
from judges.prices import require_price
from judges.tiers import resolve
from judges.user_config import user_config_file
from schemas.evalset import EvalSet
from texttargets.evalset_check import EvalsetReport, evalset_report
from texttargets.importers.reading import ImportResult
from texttargets.init_metric import Wishes
from texttargets.init_spec import NewProject, init_files
from texttargets.power import power_sentence

MOST_OFFERED = 200  # files of a kind
_TEXTS = frozenset((".md", ".txt", ".prompt", ".j2", ".jinja", ".jinja2", ".tmpl", ".mustache", ".mdc"))
_FAILURES = frozenset((".jsonl", ".json", ".csv", ".yaml", ".yml", ".xml"))
_TEXT_WORDS = ("prompt", "skill", "agents", "claude", "gemini", "system", "instruction", "rules", "copilot")
_FAILURE_WORDS = ("fail", "eval", "case", "promptfoo", "result", "trace", "feedback", "record", "label", "golden")
_RARELY = ("readme", "changelog", "license", "licence", "contributing", "package", "lock", "tsconfig", "requirements")
_NEVER = (".spec.yaml", ".spec.yml", ".labels.yaml", "package-lock.json", "package.json")
_UNNAMED = {"task": "none named, a local one is offered", "ideas": "no model, from set moves"}


@dataclass(frozen=True)
class Draft:
    """What a person has chosen so far; nothing of it is on disk."""

    root: Path
    target: Path | None = None
    failures: Path | None = None
    wishes: Wishes = field(default_factory=Wishes)

    def files(self) -> NewProject:
        """The files this draft makes. InputError and SetupError say what is wrong with it."""
        if self.target is None:
            raise SetupError("no text is chosen yet")
        return init_files(self.target, self.failures, self.wishes, root=self.root)


@dataclass(frozen=True)
class Outlook:
    """What is known of a draft. `missing`: why no run could start from it yet, one sentence each."""

    new: NewProject | None = None
    evalset: EvalSet | None = None
    account: ImportResult | None = None
    judged: bool = False
    models: tuple[str, ...] = ()
    detects: str = ""
    plan: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return self.new is not None and not self.missing


def texts_in(repository: Repository) -> list[str]:
    """Files that may hold an instruction, the likeliest first."""
    return _offered(repository, _TEXTS, _TEXT_WORDS)


def failures_in(repository: Repository) -> list[str]:
    """Files that may hold recorded failures or an eval set, the likeliest first."""
    return _offered(repository, _FAILURES, _FAILURE_WORDS)


def _offered(repository: Repository, suffixes: frozenset[str], words: Sequence[str]) -> list[str]:
    listed = repository.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    fitting = {
        place
        for place in listed
        if PurePosixPath(place).suffix.lower() in suffixes
        and not place.endswith(_NEVER)
        and (repository.root / place).is_file()
    }
    return sorted(fitting, key=lambda place: (_unlikely(place.lower(), words), place.count("/"), place))[:MOST_OFFERED]


def _unlikely(place: str, words: Sequence[str]) -> int:
    if any(word in PurePosixPath(place).name for word in _RARELY):
        return 2
    return 0 if any(word in place for word in words) else 1


def outlook(draft: Draft, environ: Mapping[str, str]) -> Outlook:
    """What this draft would measure, detect and cost; a fault of the user's files is in `missing`."""
    if draft.target is None:
        return Outlook(missing=("choose the text to make better",))
    try:
        new = draft.files()
    except CeoptError as error:
        return Outlook(missing=(str(error),))
    if draft.failures is None:
        return Outlook(new, missing=("choose the failures that were recorded with it",), notes=new.notes)
    try:
        unwritten = {path: text.encode() for path, text in new.files.items()}
        project = open_project(new.spec, unwritten)
    except CeoptError as error:
        return Outlook(new, account=new.imported, missing=(str(error),), notes=new.notes)
    return _outlook_of(project, new, environ)


def _outlook_of(project: Project, new: NewProject, environ: Mapping[str, str]) -> Outlook:
    evalset = project.evalsets[0].evalset
    seed = project.spec.evalset.seed if project.spec.evalset else 0
    report = evalset_report(evalset, seed=seed)
    models: dict[str, ResolvedModel | None] = {}
    missing = [*_too_few(report), *_not_committed(project)]
    try:
        models = _models(project, environ)
        split = split_of(project)
        task, judge = models["task"], models.get("judge")
        terms = priced_terms(project, task, models["ideas"], judge, attended=True)
        plan = tuple(plan_lines(split, terms))
    except CeoptError as error:
        plan = ()
        missing.append(str(error))
    return Outlook(
        new,
        evalset,
        new.imported,
        project.spec.is_judged,
        tuple(_model_words(models)),
        power_sentence(report.held_out_distinct),
        plan,
        tuple(missing),
        (*new.notes, *(finding.message for finding in report.findings)),
    )


def _too_few(report: EvalsetReport) -> Iterator[str]:
    if report.distinct < SMALLEST_SET:
        yield f"{report.distinct} distinct cases; nothing can be kept with fewer than {SMALLEST_SET}"


def _not_committed(project: Project) -> Iterator[str]:
    for place in project.repository.dirty(tuple(project.texts)):
        yield f"{place} has changes that are not committed; a run starts from what is: `git commit {place}`"


def _models(project: Project, environ: Mapping[str, str]) -> dict[str, ResolvedModel | None]:
    """Who plays which part; None where nobody is named yet. SetupError for a key or a price that is missing."""
    spec = project.spec

    def find(role: Role, name: str) -> ResolvedModel | None:
        return resolve(role, name, spec.models, environ, user_config_file())

    task = find("task", spec.runner.model)
    judge = {"judge": judge_of(spec, find, task)} if spec.is_judged and task is not None else {}
    found = {"task": task, **judge, "ideas": find("proposer", spec.proposer.model)}
    for model in found.values():
        if model is not None and spec.user_cost_cap_usd is not None:
            require_price(model)
    return found


def _model_words(models: Mapping[str, ResolvedModel | None]) -> Iterator[str]:
    """Each model with the roles it plays."""
    roles: dict[str, list[str]] = {}
    for role, model in models.items():
        roles.setdefault(model.model if model else _UNNAMED[role], []).append(role)
    yield from (f"{' and '.join(played)}: {name}" for name, played in roles.items())


def write_files(new: NewProject) -> None:
    """Writes what is not there yet; SetupError when one of the files has come to be meanwhile."""
    for path in new.files:
        if path.exists():
            raise SetupError(f"{path} is there already; nothing was written")
    for path, text in new.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode("utf-8"))
