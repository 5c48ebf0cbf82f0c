"""A job as a systemd user service and its timer: the text of both units. Pure."""

from __future__ import annotations

import re

from ceopt_tui.exits import ExitStatus
from ceopt_tui.schedule.job import Job, mark

# Ends that are no failure: there is work left for the next start, or someone stopped the unit.
NO_FAILURE = (ExitStatus.WAITING, ExitStatus.HANGUP, ExitStatus.INTERRUPTED, ExitStatus.TERMINATED)
STOP_S = 120  # a start that is told to stop books its calls and writes its state first


def units(job: Job) -> dict[str, str]:
    """Unit name → text. The first line of each says whose it is."""
    service, timer = unit_names(job.id)
    return {service: _service(job), timer: _timer(job)}


def unit_names(job_id: str) -> tuple[str, str]:
    """Service and timer."""
    return f"{job_id}.service", f"{job_id}.timer"


def _service(job: Job) -> str:
    return f"""\
{mark(job.id)}
[Unit]
Description=ceopt run {job.run}

[Service]
Type=oneshot
EnvironmentFile=-{_escaped(str(job.environment_file))}
ExecStart=/bin/sh -c "{_quoted(job.script("systemd", reads_environment=False))}"
SuccessExitStatus={" ".join(str(int(status)) for status in NO_FAILURE)}
TimeoutStopSec={STOP_S}
"""


def _timer(job: Job) -> str:
    return f"""\
{mark(job.id)}
[Unit]
Description=ceopt run {job.run}, every {job.interval}

[Timer]
OnCalendar={job.interval.calendar}
Persistent=true

[Install]
WantedBy=timers.target
"""


def _escaped(text: str) -> str:
    """A setting's value, in which % begins a specifier."""
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """An argument between double quotes, in which also \\, \" and $ have a meaning."""
    return _escaped(re.sub(r'([\\"])', r"\\\1", text)).replace("$", "$$")
