"""Reads a spec and everything it points at into plain values: texts, cases, split, digests, terms.

Calls no model and writes nothing; what is wrong with the user's files comes out here, before anything is paid.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ceopt_tui.case_filling import filling_notes, refuse_unfit, syntax_of
from ceopt_tui.command_inputs import NO_SPLIT, command_run_inputs, command_terms, refuse_command, scope_bytes
from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.early import PRUNE_SUFFIX
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.errors import GitError, InputError, Problem, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.judge_inputs import judge_terms, rubric_of, sampled
from ceopt_tui.measured_keys import measured_spec
from ceopt_tui.named_files import named_files, rubric_files
from ceopt_tui.project import Project as Project
from ceopt_tui.support import refuse_unsupported, scores
from schemas.evalset import Case
from schemas.evalset_rules import cases_without_answer
from schemas.loading import LoadedEvalSet, LoadedSpec, load_spec, spec_of
from schemas.records import SplitFrozen
from schemas.spec import Spec
from texttargets.init_example import UNTOUCHED, is_example
from texttargets.split import Split, freeze_split
from texttargets.target_file import text_digest

DEFAULT_MAX_CALLS = 2_000  # where the user set no cap at all


def open_project(spec_path: Path, unwritten: Mapping[Path, bytes] | None = None) -> Project:
    """Reads the spec, its target files and its eval sets. InputError and SetupError say what is wrong and where.

    `unwritten`: spec and eval sets that are no files yet, by their place to be.
    """
    draft = (unwritten or {}).get(spec_path)
    loaded = spec_of(draft, spec_path) if draft else load_spec(spec_path)
    refuse_unsupported(loaded)
    repository = Repository.find(spec_path.resolve().parent)
    named = named_files(loaded, repository.root, unwritten)
    if named.problems:
        raise InputError(named.problems)
    texts, evalsets = named.texts, tuple(named.evalsets)
    if not loaded.spec.is_judged:
        _refuse_unanswered(evalsets)
    cases = _all_cases(evalsets)
    held_out = None
    if loaded.spec.holdout_file is not None:
        held_out = frozenset(case.id for case in evalsets[-1].evalset.cases)
    project = Project(
        loaded,
        repository,
        texts,
        evalsets,
        cases,
        evalsets[0].evalset.check if evalsets else None,
        held_out,
        rubric=rubric_of(loaded.spec, named.rubric),
        singleton_rubric=rubric_of(loaded.spec, named.singleton_rubric),
        labels=named.labels,
        references=named.references,
    )
    refuse_unfit(project)
    return project


def pruned(project: Project) -> Project:
    """The same project for a pruning run: a run of its own that tries to do without each rule of the text."""
    spec = project.spec
    refuse_command(project.loaded, "only rules of a text can be taken out one by one")
    changes = {
        "name": f"{spec.name}{PRUNE_SUFFIX}",
        # Rules that are missed may come in any number before one that is not.
        "stopping": spec.stopping.model_copy(update={"plateau_iterations": spec.stopping.max_iterations}),
        "proposer": spec.proposer.model_copy(update={"kind": "mechanical"}),
    }
    return replace(project, loaded=replace(project.loaded, spec=spec.model_copy(update=changes)), pruning=True)


def project_findings(loaded: LoadedSpec) -> tuple[list[Problem], list[str]]:
    """All that keeps a valid spec from being run, as far as it and its files can say, and what is worth a look.

    Without a repository it is less.
    """
    try:
        refuse_unsupported(loaded)
        return [], list(filling_notes(open_project(loaded.file)))
    except InputError as error:
        return error.problems, [error.hint] if error.hint else []
    except (SetupError, GitError):  # no repository: beside the spec is the only place
        return named_files(loaded, loaded.file.resolve().parent).problems, []


def _refuse_unanswered(evalsets: tuple[LoadedEvalSet, ...]) -> None:
    """A check needs something to check against."""
    problems = [fault for loaded in evalsets for fault in cases_without_answer(loaded.evalset, loaded.document)]
    if problems:
        raise InputError(problems, "Give each of them `expected` or a `check`; only a judge can score an open answer.")


def _all_cases(evalsets: tuple[LoadedEvalSet, ...]) -> tuple[Case, ...]:
    """Cases of all files in order; one id twice is refused. A file's own check goes to its cases."""
    seen: dict[str, str] = {}
    cases: list[Case] = []
    problems = []
    for loaded in evalsets:
        for place, case in enumerate(loaded.evalset.cases):
            if is_example(case):
                line = loaded.line("cases", place)
                problems.append(Problem(str(loaded.file), line, f"case {case.id}", UNTOUCHED))
            if case.id in seen:
                line = loaded.line("cases", place, "id")
                problems.append(Problem(str(loaded.file), line, "id", f"{case.id!r} is also in {seen[case.id]}"))
            seen[case.id] = str(loaded.file)
            check = case.check or loaded.evalset.check
            cases.append(case.model_copy(update={"check": check}))
    if problems:
        raise InputError(problems)
    return tuple(cases)


def split_of(project: Project) -> SplitFrozen:
    """The frozen split of this eval set; drawn again it is the same."""
    source = project.spec.evalset
    if source is None:
        return NO_SPLIT
    share = source.holdout if isinstance(source.holdout, float) else None
    split = freeze_split(project.cases, seed=source.seed, share=share, holdout_ids=project.holdout_ids)
    if split.drawn:
        _refuse_one_sided(project, split)
    selection, holdout = sampled(project.spec, project.cases, split.selection, split.holdout)
    return SplitFrozen(
        selection=selection,
        holdout=holdout,
        report_only=tuple(case for case in split.report_only if case in holdout),
        groups=split.groups,
        seed=split.seed,
    )


def _refuse_one_sided(project: Project, split: Split) -> None:
    """A change is found on one side and confirmed on the other; neither may be empty."""
    if split.selection and split.holdout:
        return
    empty, full = ("selection", "held out") if not split.selection else ("held-out", "selection cases")
    text = f"all cases are {full}, so there is no {empty} case left"
    loaded = project.loaded
    raise InputError(
        [Problem(str(loaded.file), loaded.line("evalset"), "evalset", text)],
        "Take `split` off some cases and the rest is drawn, or give both sides cases.",
    )


def digests(project: Project) -> tuple[str, str]:
    """(approval digest, measurement digest): all that decides a score with the spec's bytes, and without its limits.

    Who approves a text whose coverage was measured approves the list of rules that no case guards, too. An edit of the
    text lifts no protection of that list, so it needs no new approval.
    """
    content = _content(project)
    approved = {"spec": project.loaded.sha256, **content}
    if project.coverage is not None and project.protects:
        approved["unguarded"] = sorted({rule.rule for rule in project.coverage.unguarded})
    return _digest(approved), _digest({"spec": measured_spec(project.spec), **content})


def _content(project: Project) -> dict[str, Any]:
    """What the files hold that the spec names, where that decides a score."""
    rubrics = [rubric.text for rubric in (project.rubric, project.singleton_rubric) if rubric is not None]
    named = {name: text_digest({name: text}) for name, text in project.references.items()}
    measuring = scope_bytes(project) if project.by_command else {}
    said = (("rubrics", rubrics), ("references", named), ("measuring", measuring))
    evalsets = [loaded.sha256 for loaded in project.evalsets]
    return {"evalsets": evalsets, **{key: value for key, value in said if value}}


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def caps_of(spec: Spec) -> dict[str, float | None]:
    """The caps in force; a run nobody capped gets a default on calls."""
    usd, calls = spec.user_cost_cap_usd, spec.stopping.max_calls
    if usd is None and calls is None:
        calls = DEFAULT_MAX_CALLS
    return {"max_total_cost_usd": usd, "max_calls": None if calls is None else float(calls)}


def terms_of(project: Project, *, attended: bool, usd_per_run: float | None) -> Terms:
    """The planner's view of the spec."""
    spec, caps = project.spec, caps_of(project.spec)
    if project.by_command:
        return command_terms(project, attended=attended, approval_digest=digests(project)[0], caps=caps)
    stopping, calls = spec.stopping, caps["max_calls"]
    assert spec.evalset is not None
    lowest, highest = scores(spec)
    return Terms(
        approval_digest=digests(project)[0],
        caps=caps,
        attended=attended,
        max_iterations=stopping.max_iterations,
        max_active_s=stopping.max_hours * 3600,
        max_wall_s=stopping.max_wall_hours * 3600,
        plateau=stopping.plateau_iterations,
        stop_at_target=stopping.target_reached,
        budget=Caps(None if calls is None else int(calls), caps["max_total_cost_usd"], usd_per_run),
        target=spec.metric.primary.target,
        maximize=spec.metric.primary.direction == "maximize",
        caution=spec.caution,
        allow_broken=spec.allow_broken,
        guards=frozenset(case.id for case in project.cases if case.kind == "guard"),
        max_unscored=spec.max_unscored,
        seed=spec.evalset.seed,
        reference_runs=spec.runner.repeats or 4,
        task_retries=spec.runner.retries,
        lowest=lowest,
        span=highest - lowest,
        pass_at=project.rubric.pass_at if project.rubric else 1.0,
        judge=judge_terms(spec, project.rubric, project.cases, project.labels, project.singleton_rubric),
        pruning=project.pruning,
    )


def run_inputs(project: Project, approval_lines: tuple[str, ...]) -> RunInputs:
    """Everything the engine needs to know of the user's files."""
    make = command_run_inputs if project.by_command else _text_inputs
    before_holdout = _digest({"spec": measured_spec(project.spec, holdout=False), **_content(project)})
    inputs = make(project, *digests(project), approval_lines)
    return replace(inputs, bound_files=_bound_files(project), digest_before_holdout=before_holdout)


def _text_inputs(project: Project, approval: str, measurement: str, approval_lines: tuple[str, ...]) -> RunInputs:
    spec = project.spec
    assert spec.evalset is not None and spec.target is not None
    return RunInputs(
        name=spec.name,
        description=spec.description,
        spec_file=str(project.loaded.file),
        spec_bytes=project.loaded.raw,
        spec_digest=project.loaded.sha256,
        approval_digest=approval,
        measurement_digest=measurement,
        texts=project.texts,
        text_digest=text_digest(project.texts),
        cases={case.id: case for case in project.cases},
        split=split_of(project),
        mutable=tuple(project.texts),
        immutable=tuple(dict.fromkeys(_immutable(project))),
        committed=tuple(_must_be_committed(project)),
        seed=spec.evalset.seed,
        syntax=syntax_of(project),
        constraints=spec.constraints,
        protect=spec.target.protect,
        approved_dependencies=spec.dependencies.approved,
        edits=spec.proposer.edits,
        approval_lines=approval_lines,
    )


def _bound_files(project: Project) -> dict[str, bytes]:
    """The user's files that are bound by digest alone, by their place in the repository."""
    root = project.repository.root.resolve()
    loaded: list[LoadedSpec | LoadedEvalSet] = [project.loaded, *project.evalsets]
    files = {one.file: one.raw for one in loaded}
    files |= {path: path.read_bytes() for path in rubric_files(project.loaded, root)}
    return {path.resolve().relative_to(root).as_posix(): data for path, data in files.items()}


def _immutable(project: Project) -> Iterator[str]:
    root = project.repository.root.resolve()
    yield from (loaded.file.resolve().relative_to(root).as_posix() for loaded in project.evalsets)
    named = project.spec.evalset.paths if project.spec.evalset else ()
    yield from project.references
    yield from (path for path in project.spec.scope.immutable if path not in named)


def _must_be_committed(project: Project) -> Iterator[str]:
    """Files git must hold before a run: target and immutable scope; spec and eval sets are bound by digest instead."""
    bound = {loaded.file.resolve() for loaded in project.evalsets} | {project.loaded.file.resolve()}
    root = project.repository.root
    named = [path for path in _immutable(project) if (root / path).resolve() not in bound]
    yield from (*project.texts, *named)
