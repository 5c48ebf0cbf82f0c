"""What installing or removing a job would change, file by file, and doing it. Asks nobody; the command has asked."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.schedule.ci import workflow_id
from ceopt_tui.schedule.cron import with_block, without_block
from ceopt_tui.schedule.crontab import read_crontab, write_crontab
from ceopt_tui.schedule.job import Job, mark
from ceopt_tui.schedule.systemd import unit_names, units
from ceopt_tui.schedule.user_units import read_units, remove_units, systemctl, units_folder, write_units

WORKFLOWS = Path(".github") / "workflows"
COMMIT_IT = "it works once you have committed and pushed that"


@dataclass(frozen=True)
class Change:
    """A change that waits for a yes. `make` carries it out and gives what the user has to be told."""

    diff: str
    make: Callable[[], list[str]]

    @property
    def is_none(self) -> bool:
        return not self.diff


def cron_installed(job: Job, environ: Mapping[str, str]) -> Change:
    """The crontab with this job's block."""
    before = read_crontab(environ)
    return _cron_change(before, with_block(before, job), environ)


def cron_removed(job_id: str, environ: Mapping[str, str]) -> Change:
    """The crontab without a job's block."""
    before = read_crontab(environ)
    return _cron_change(before, without_block(before, job_id), environ)


def systemd_installed(job: Job, environ: Mapping[str, str]) -> Change:
    """The two units of this job, its timer at work."""
    folder, wanted, timer = units_folder(environ), units(job), unit_names(job.id)[1]
    before = read_units(folder, unit_names(job.id), mark(job.id))

    def make() -> list[str]:
        write_units(folder, wanted)
        reloaded = _told(environ, "daemon-reload")
        return [*reloaded, *([] if reloaded else _told(environ, "enable", "--now", timer))]

    return Change(_units_diff(folder, before, wanted), make)


def systemd_removed(job_id: str, environ: Mapping[str, str]) -> Change:
    """None of a job's units, its timer stopped."""
    folder, names = units_folder(environ), unit_names(job_id)
    before = read_units(folder, names, mark(job_id))

    def make() -> list[str]:
        said = _told(environ, "disable", "--now", names[1])
        remove_units(folder, list(before))
        return [*said, *_told(environ, "daemon-reload")]

    return Change(_units_diff(folder, before, {}), make)


def workflow_installed(job: Job, text: str) -> Change:
    """The workflow in the working tree; committing it is the user's."""
    workflow = workflow_id(job.spec, job.root, prune=job.prune)
    folder, name = job.root / WORKFLOWS, f"{workflow}.yml"
    before = read_units(folder, [name], mark(workflow))

    def make() -> list[str]:
        write_units(folder, {name: text})
        return [COMMIT_IT]

    return Change(_units_diff(folder, before, {name: text}), make)


def workflow_removed(root: Path, workflow: str) -> Change:
    """The working tree without the workflow."""
    folder, name = root / WORKFLOWS, f"{workflow}.yml"
    before = read_units(folder, [name], mark(workflow))

    def make() -> list[str]:
        remove_units(folder, list(before))
        return [COMMIT_IT]

    return Change(_units_diff(folder, before, {}), make)


def _cron_change(before: str, after: str, environ: Mapping[str, str]) -> Change:
    def make() -> list[str]:
        write_crontab(after, environ)
        return []

    return Change(_diff("crontab", before, after), make)


def _units_diff(folder: Path, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    names = dict.fromkeys((*before, *after))
    return "".join(_diff(str(folder / name), before.get(name, ""), after.get(name, "")) for name in names)


def _told(environ: Mapping[str, str], *arguments: str) -> list[str]:
    """Nothing when systemd took it; else its words and what to type."""
    failed = systemctl(environ, *arguments)
    return [f"{failed}; do it yourself: systemctl --user {' '.join(arguments)}"] if failed else []


def _diff(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"{name} (now)", f"{name} (then)", n=1
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
