"""From a spec and its options to the job that starts it: absolute paths, and what a scheduler would not know."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from ceopt_tui.errors import SetupError
from ceopt_tui.inputs import Project
from ceopt_tui.journal.folders import STATE_ROOT_VARIABLE, state_folder
from ceopt_tui.run_options import RunOptions
from ceopt_tui.schedule.interval import Interval
from ceopt_tui.schedule.job import Job, own_executable, refuse_unwritable, search_path
from ceopt_tui.schedule.variables import programs_of

ENVIRONMENT_NAME = "environment"


def planned_job(
    project: Project, options: RunOptions, interval: Interval, max_minutes: int, env_file: Path | None, *, ci: bool
) -> Job:
    """The job for this run. One for a CI keeps its state in the repository, wherever it is kept here."""
    root, name = project.repository.root, project.spec.name
    environ = {} if ci else options.environ
    state = state_folder(name, root, state_root=None if ci else options.state_root, environ=environ)
    elsewhere = not ci and (options.state_root is not None or bool(environ.get(STATE_ROOT_VARIABLE)))
    spec = project.loaded.file.resolve()
    if not spec.is_relative_to(root.resolve()):
        raise SetupError(f"{spec} is outside of the repository {root}")
    job = Job(
        run=name,
        executable=own_executable(options.environ),
        spec=spec,
        root=root.resolve(),
        state=state,
        environment_file=(env_file or platformdirs.user_config_path("ceopt") / ENVIRONMENT_NAME).absolute(),
        interval=interval,
        max_minutes=max_minutes,
        search_path=search_path(options.environ, programs_of(project.spec)),
        options=tuple(_options(options, state.parent if elsewhere else None)),
        prune=options.prune,
    )
    refuse_unwritable(job)
    return job


def _options(options: RunOptions, state_root: Path | None) -> list[str]:
    words = ["--state-root", str(state_root)] if state_root else []
    for role, model in options.models.items():
        words += ["--model", f"{role}={model}"]
    words += ["--max-ticks", str(options.max_ticks)] if options.max_ticks else []
    return [*words, *(["--approve", options.approve] if options.approve else [])]
