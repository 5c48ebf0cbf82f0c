"""What a study would run and what that is likely to cost, before anything is sent or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.core.study.cells import Cell, cells_of
from ceopt_tui.core.study.estimates import (
    OFFLINE_TERMS,
    CellEstimate,
    Terms,
    TotalEstimate,
    combined,
    estimate_cell,
    total,
)
from ceopt_tui.core.study.scoring import golden_reply
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.study.freezing import Committed, Manifest, manifest_of, require_frozen
from ceopt_tui.study.harnesses import JUDGE, all_models, all_terms
from ceopt_tui.study.judging import rubrics_of
from ceopt_tui.study.places import DEFAULT_OUTPUT, output_folder
from ceopt_tui.study.preflight import require_sound_cases
from ceopt_tui.study.prompts import asked, whole_prompt
from judges.family import family
from schemas.evalset import as_words
from schemas.study import PROGRAMS
from schemas.study_loading import LoadedStudy, load_study


@dataclass(frozen=True)
class Only:
    """Which part of a study is run this time; empty is all of it. What is left out stays missing, and is said to be."""

    texts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    def takes(self, cell: Cell) -> bool:
        """Is this cell of that part?"""
        chosen = ((self.texts, cell.text), (self.targets, cell.target.id), (self.cases, cell.case.id))
        return all(not names or name in names for names, name in chosen)


EVERYTHING = Only()


@dataclass(frozen=True)
class StudyPlan:
    """A study that may run: its cells in order, the models behind its targets, what each cell is likely to cost."""

    loaded: LoadedStudy
    folder: Path  # of its output
    cells: tuple[Cell, ...]
    models: Mapping[str, ResolvedModel]
    estimates: Mapping[str, CellEstimate]  # by cell
    manifest: Manifest

    @property
    def total(self) -> TotalEstimate:
        """All cells together."""
        return total(list(self.estimates.values()))

    def lines(self) -> list[str]:
        """The plan and its price, to be read before anything is paid. What is estimated is soft."""
        study, budget = self.loaded.study, self.loaded.study.budget
        texts = {cell.text for cell in self.cells}
        targets = {cell.target.id for cell in self.cells}
        cases = {cell.case.id for cell in self.cells}
        shape = (
            f"{counted(len(texts), 'text')} x {counted(len(targets), 'target')} x "
            f"{counted(len(cases), 'case')} x {counted(study.k, 'repeat')}"
        )
        money = "no cap in money" if budget.usd is None else f"{budget.usd:.2f} USD"
        calls = "no cap on calls" if budget.calls is None else counted(budget.calls, "call")
        return [
            f"Study      {study.name}: {counted(len(self.cells), 'cell')} ({shape})",
            *(self._of_target(target.id) for target in study.bound_targets if target.id in targets),
            f"In all     {_told(self.total)}",
            self._of_judge(),
            *self._of_proofs(),
            f"Caps       {money}; {calls}",
        ]

    def _of_judge(self) -> str:
        judge = self.models.get(JUDGE)
        judged = sum(cell.case.is_judged for cell in self.cells)
        if judge is None or not judged:
            return "Judge      none: every scorer works by rule. Proposer: none."
        tried = len({cell.case.id for cell in self.cells if cell.case.is_judged})
        return (
            f"Judge      {judge.model}: {counted(judged, 'cell')}, in the figures above; tried first on two replies to "
            f"{counted(tried, 'case')}. Proposer: none."
        )

    def _of_proofs(self) -> list[str]:
        programs = {cell.target.id for cell in self.cells if cell.target.harness in PROGRAMS}
        if not programs:
            return []
        names = ", ".join(sorted(programs))
        return [f"Isolation  {names}: started up to 3 times more, to show that it runs apart, not in the figures above"]

    def _of_target(self, name: str) -> str:
        own = [self.estimates[cell.id] for cell in self.cells if cell.target.id == name]
        return f"Target     {name}: {_told(total(own))}; a cell: {_told(total(own[:1]))}"


def sound_study(path: Path) -> LoadedStudy:
    """The study as this version can run it. InputError and SetupError say what is in the way."""
    loaded = load_study(path)
    require_sound_cases(loaded)
    return loaded


def plan_study(
    path: Path, environ: Mapping[str, str], output: str = DEFAULT_OUTPUT, only: Only = EVERYTHING
) -> StudyPlan:
    """Reads and checks a study. InputError and SetupError say what is in the way; nothing is sent or written."""
    loaded = sound_study(path)
    study = loaded.study
    _require_known(loaded, only)
    models = all_models(study, environ)
    every = cells_of(list(study.texts), study.bound_targets, loaded.cases, study.k)
    cells = tuple(cell for cell in every if only.takes(cell))
    _require_independent_judge(models)
    terms = all_terms(study, models)
    return StudyPlan(
        loaded,
        output_folder(loaded.folder, output),
        cells,
        models,
        {cell.id: _estimate(loaded, cell, terms) for cell in cells},
        _bound(manifest_of(loaded), models),
    )


def require_registered(plan: StudyPlan) -> Committed | None:
    """The commit that holds the study as it is; None for one that reaches no model."""
    repository = None if plan.loaded.study.is_offline else Repository.find(plan.loaded.folder)
    return require_frozen(plan.loaded, repository)


def require_budget(plan: StudyPlan, *, confirmed: bool) -> None:
    """SetupError where the estimate is above the budget and nobody said that it may be."""
    usd, cap = plan.total.usd, plan.loaded.study.budget.usd
    calls, most = plan.total.calls, plan.loaded.study.budget.calls
    over = []
    if usd is not None and cap is not None and usd > cap:
        over.append(f"about {usd:.2f} USD, and the budget is {cap:.2f}")
    if most is not None and calls > most:
        over.append(f"{counted(calls, 'call')}, and the budget is {most:,}")
    if over and not confirmed:
        raise SetupError(
            f"the study comes to {'; '.join(over)}",
            "Give --confirm to run it up to the budget all the same, or change the study.",
        )


def _require_known(loaded: LoadedStudy, only: Only) -> None:
    """SetupError for a name that the study does not have: it would leave nothing to run, or something else."""
    known = {
        "text": (only.texts, list(loaded.study.texts)),
        "target": (only.targets, [target.id for target in loaded.study.bound_targets]),
        "case": (only.cases, [case.id for case in loaded.cases]),
    }
    for what, (names, there) in known.items():
        for name in names:
            if name not in there:
                raise SetupError(f"the study has no {what} `{name}`", f"It has {', '.join(there)}.")


def _require_independent_judge(models: Mapping[str, ResolvedModel]) -> None:
    """SetupError where the judge is a tested model by another name, or of its kin, whatever the study calls it."""
    judge = models.get(JUDGE)
    for target, model in models.items():
        if judge is not None and model is not judge and family(model.model) == family(judge.model):
            raise SetupError(
                f"the judge {judge.model} is of the family of {model.model}, which the target `{target}` tests",
                "Name a judge of another family: a model likes what it would have written itself.",
            )


def _estimate(loaded: LoadedStudy, cell: Cell, terms: Mapping[str, Terms]) -> CellEstimate:
    found = terms.get(cell.target.id)
    own = estimate_cell(whole_prompt(loaded, cell), found) if found else estimate_cell("", OFFLINE_TERMS)
    judge = terms.get(JUDGE)
    if judge is None or not cell.case.is_judged:
        return own
    question = as_words(asked(loaded, cell.case).input) + golden_reply(cell.case.answer)
    parts = [estimate_cell(question + rubric.text, judge) for _, rubric in rubrics_of(loaded, cell.case)]
    return combined([own, *parts])


def _bound(manifest: Manifest, models: Mapping[str, ResolvedModel]) -> Manifest:
    """With what the names of models mean on this machine, which another start must mean as well."""
    bound = {f"model of {name}": f"{model.model} at {model.endpoint}" for name, model in models.items()}
    return Manifest(manifest.files, {**manifest.values, **bound})


def _told(estimate: TotalEstimate) -> str:
    if estimate.calls == 0:
        return "nothing is sent"
    price = "price unknown" if estimate.usd is None else f"about {estimate.usd:.4f} USD [soft]"
    tokens = f"{estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out"
    return f"{counted(estimate.calls, 'call')}, {tokens}, {price}"
