"""What a candidate is held against: limits, and what it must not quote, as a spec says it.

A run and `ceopt lint` get both from here, so that they refuse the same. Calls no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ceopt_tui.core.ports import Guard
from ceopt_tui.core.reading_ports import Remarker
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.errors import GitError, InputError, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.inputs import Project
from ceopt_tui.named_files import named_files
from schemas.loading import LoadedEvalSet, LoadedSpec, load_evalset, load_spec
from schemas.spec_target import Target
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.remarks import Wanted, make_remarker
from texttargets.split import freeze_split


@dataclass(frozen=True)
class LintTerms:
    """What a rewrite is linted by; no syntax means that it is guessed. `files`: the texts a spec names."""

    sources: LeakSources
    syntax: str | None = None
    limits: Limits = field(default_factory=Limits)
    files: tuple[Path, ...] = ()


def guard_of(project: Project, inputs: RunInputs) -> Guard:
    """The guard of a run; growth is measured from the text it began with."""
    target = project.spec.target
    assert target is not None
    limits = replace(_limits(target), mutable=inputs.mutable, protect=inputs.protect, original=inputs.texts)
    rubric = "\n".join(one.text for one in (project.rubric, project.singleton_rubric) if one)
    sources = replace(_sources(project.evalsets, rubric), held_out=inputs.split.holdout)
    return make_guard(sources=sources, syntax=inputs.syntax, limits=limits)


def remarker_of(project: Project, inputs: RunInputs) -> Remarker:
    """What a change is read against before it is kept, without a model."""
    target = project.spec.target
    assert target is not None
    rubric = "\n".join(one.text for one in (project.rubric, project.singleton_rubric) if one)
    sources = replace(_sources(project.evalsets, rubric), held_out=inputs.split.holdout)
    return make_remarker(Wanted(inputs.description, inputs.constraints, sources, target.public_phrases))


def lint_terms(spec: Path | None, evalset: Path | None) -> LintTerms:
    """Limits, syntax, rubric and eval sets of a spec, or the cases of `evalset` alone.

    By a spec its held-out cases go unnamed, as in a run. InputError when a file it needs cannot be read.
    """
    given = [load_evalset(evalset)] if evalset else []
    if spec is None:
        return LintTerms(_sources(given))
    loaded = load_spec(spec)
    named = named_files(loaded, _root(loaded))
    if named.problems:
        raise InputError(named.problems)
    evalsets = given or named.evalsets
    sources = _sources(evalsets, "\n".join((named.rubric, named.singleton_rubric)))
    if not given:
        sources = replace(sources, held_out=_held_out(loaded, evalsets))
    target = loaded.spec.target
    if target is None:
        return LintTerms(sources)
    files = tuple(_root(loaded) / place for place in named.texts)
    return LintTerms(sources, target.syntax, _limits(target), files)


def _limits(target: Target) -> Limits:
    return Limits(
        target.max_tokens,
        target.max_growth,
        front_matter_may_change=target.front_matter == "editable",
        protect=target.protect,
        allowed_phrases=target.public_phrases,
    )


def _sources(evalsets: Sequence[LoadedEvalSet], rubric: str = "") -> LeakSources:
    """Cases as they are written: a check of the whole set is its own, not once more that of each case."""
    cases = [case for loaded in evalsets for case in loaded.evalset.cases]
    checks = [loaded.evalset.check for loaded in evalsets if loaded.evalset.check is not None]
    return LeakSources(cases=cases, checks=checks, rubric=rubric.strip())


def _held_out(loaded: LoadedSpec, evalsets: Sequence[LoadedEvalSet]) -> frozenset[str]:
    source, cases = loaded.spec.evalset, [case for one in evalsets for case in one.evalset.cases]
    if source is None:
        return frozenset()
    if loaded.spec.holdout_file is not None:
        return frozenset(case.id for case in evalsets[-1].evalset.cases)
    share = source.holdout if isinstance(source.holdout, float) else None
    return frozenset(freeze_split(cases, seed=source.seed, share=share).holdout)


def _root(loaded: LoadedSpec) -> Path:
    """The repository's root; without a repository the spec's own folder."""
    folder = loaded.file.resolve().parent
    try:
        return Repository.find(folder).root
    except (SetupError, GitError):
        return folder
