"""A spec at home in its repository, with all it points at, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ceopt_tui.gitops.repository import Repository
from judges.rubric import Rubric
from schemas.checks import Check
from schemas.coverage import Coverage
from schemas.evalset import Case
from schemas.labels import Labels
from schemas.loading import LoadedEvalSet, LoadedSpec
from schemas.spec import Spec


@dataclass(frozen=True)
class Project:
    """The user's files as a run needs them. Of a run that a command measures, texts and cases are empty."""

    loaded: LoadedSpec
    repository: Repository
    texts: Mapping[str, str]  # path from the repository's root -> content
    evalsets: tuple[LoadedEvalSet, ...]
    cases: tuple[Case, ...]
    default_check: Check | None
    holdout_ids: frozenset[str] | None
    rubric: Rubric | None = None  # where a judge scores
    singleton_rubric: Rubric | None = None
    labels: Labels | None = None
    references: Mapping[str, str] = field(default_factory=dict)  # sent along, never edited
    pruning: bool = False  # rules leave the text one by one
    coverage: Coverage | None = None  # the last map of its rules, be it of this text or of an earlier one

    @property
    def spec(self) -> Spec:
        return self.loaded.spec

    @property
    def protects(self) -> bool:
        """Are rules that no case guards kept from edits?"""
        return self.spec.coverage == "protect"

    @property
    def by_command(self) -> bool:
        """Does a command measure? Then commits stand for texts, and what it prints for scores of cases."""
        return self.spec.measurement.command is not None
