"""How a run is carried out: where experiments run, what they may touch, and when the run stops."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from schemas.paths import repository_path
from schemas.scalars import FilledText, Flag, Integer, Number, Section

RepositoryPath = Annotated[FilledText, AfterValidator(repository_path)]

WORKTREE_LIMIT = 6


class Scope(Section):
    """What an experiment may change and must not change; a folder includes what is below it."""

    mutable: Annotated[tuple[RepositoryPath, ...], Field(min_length=1)]
    immutable: tuple[RepositoryPath, ...]


class Remote(Section):
    """How experiments reach other machines."""

    dispatch: Literal["dask", "command"] = "dask"
    scheduler: FilledText | None = None
    """Address of the Dask scheduler."""
    command: FilledText | None = None
    """Command that hands one experiment to another system."""
    remote: FilledText = "origin"
    """The git remote the results come back on."""
    deadline_minutes: Annotated[Number, Field(gt=0)] | None = None
    """How long a result is waited for; null: an hour and twice what its samples may take."""


class Execution(Section):
    """Where and how many experiments run."""

    mode: Literal["serial", "parallel"] = "parallel"
    backend: Literal["worktree", "codex", "claude", "remote"] = "worktree"
    max_concurrent: Annotated[Integer, Field(ge=1)] = 4
    codex_security: Literal["full-auto", "yolo"] | None = None
    """What the codex command may do; asked once where nothing is said."""
    remote: Remote | None = None


class Parallel(Section):
    """What parallel experiments must not share."""

    port_strategy: Literal["parameterized", "none"] | None = None
    port_env_var: FilledText | None = None
    port_base: Annotated[Integer, Field(ge=1, le=65535)] | None = None
    """The first port; the number of the experiment is added."""
    shared_files: tuple[RepositoryPath, ...] = ()
    """Files copied into every worktree."""
    exclusive_resources: tuple[FilledText, ...] = ()
    """Things only one experiment may use at a time: any entry makes the run serial."""


class Dependencies(Section):
    """Packages an experiment may add."""

    approved: tuple[FilledText, ...] = ()


class Stopping(Section):
    """When the run ends; whatever comes first."""

    max_iterations: Annotated[Integer, Field(ge=1)] = 100
    max_hours: Annotated[Number, Field(gt=0)] = 8.0
    """Active time."""
    max_wall_hours: Annotated[Number, Field(gt=0)] = 72.0
    """Calendar time; nothing extends it."""
    plateau_iterations: Annotated[Integer, Field(ge=1)] = 10
    """Experiments in a row without a keep."""
    target_reached: Flag = True
    max_total_cost_usd: Annotated[Number, Field(gt=0)] | None = None
    """Cap on the cost of all models together."""
    max_calls: Annotated[Integer, Field(ge=1)] | None = None
    """Cap on the calls of all models together."""
