"""A job in a crontab: its line, and its marked block among lines of the user's, which stay as they are. Pure."""

from __future__ import annotations

import os
import re

from ceopt_tui.errors import SetupError
from ceopt_tui.schedule.job import Job

LONGEST_COMMAND = 998  # bytes; what the widespread crons take


def cron_line(job: Job) -> str:
    """The job as one line of a crontab, where a bare % would end the command. SetupError when cron would cut it."""
    command = job.script("cron", reads_environment=True).replace("%", r"\%")
    if len(os.fsencode(command)) > LONGEST_COMMAND:
        raise SetupError("the paths of this run are too long for a line of cron", "Use `--kind systemd`.")
    return f"{job.interval.cron_fields} {command}"


def with_block(crontab: str, job: Job) -> str:
    """The crontab with this job's block in it once: in its place where there was one, else at the end."""
    first, last = _marks(job.id)
    block = f"{first}\n{cron_line(job)}\n{last}\n"
    before, found, after = _parted(crontab, job.id)
    if not found and before and not before.endswith("\n"):
        before += "\n"
    return before + block + after


def without_block(crontab: str, job_id: str) -> str:
    """The crontab without this job's block; every other byte stays."""
    before, _, after = _parted(crontab, job_id)
    return before + after


def _marks(job_id: str) -> tuple[str, str]:
    return f"# >>> {job_id} >>>", f"# <<< {job_id} <<<"


def _parted(crontab: str, job_id: str) -> tuple[str, bool, str]:
    """What stands before and after the block, and whether there is one. SetupError when its marks do not pair up."""
    first, last = _marks(job_id)
    lines = re.findall(r"[^\n]*\n|[^\n]+", crontab)  # cron knows no other line break
    starts = [place for place, line in enumerate(lines) if line.strip() == first]
    ends = [place for place, line in enumerate(lines) if line.strip() == last]
    if not starts and not ends:
        return crontab, False, ""
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        raise SetupError(
            f"the crontab holds the marks of {job_id} more than once, or only one of them",
            f"Remove the lines {first!r} and {last!r} and what belongs to them with `crontab -e`.",
        )
    return "".join(lines[: starts[0]]), True, "".join(lines[ends[0] + 1 :])
