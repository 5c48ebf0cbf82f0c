"""A job for a CI system, in the form of a GitHub Actions workflow. Pure."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.errors import SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.gitops.branches import optimization_branch
from ceopt_tui.run_options import WAKE_VARIABLE
from ceopt_tui.schedule.job import Job, job_id, mark
from ceopt_tui.schedule.variables import Needed

LONGEST_MINUTES = 300  # hosted runners end a job after six hours
AROUND_MINUTES = 15  # check-out, installation, saving
SHORTEST_INTERVAL = 5  # minutes; the service starts nothing more often


def workflow(job: Job, needed: Needed, version: str) -> str:
    """The workflow. State and branch of the run travel from one start to the next; keys come from the CI's secrets."""
    _refuse(job)
    minutes = min(job.max_minutes, LONGEST_MINUTES)
    return _head(job, needed, minutes) + _bringing(job, needed, version) + _running(job, minutes) + _keeping(job)


def workflow_id(spec: Path, root: Path, *, prune: bool) -> str:
    """The workflow's name, from the spec's place in the repository: the same in every clone."""
    return job_id(spec.relative_to(root), prune=prune)


def _head(job: Job, needed: Needed, minutes: int) -> str:
    return f"""\
{mark(workflow_id(job.spec, job.root, prune=job.prune))}
name: ceopt {job.run}
on:
  schedule:
    - cron: "{job.interval.cron_fields}"
  workflow_dispatch:
permissions:
  contents: write  # the branch {optimization_branch(job.run)} holds what the run keeps
concurrency:
  group: ceopt-{job.run}
  cancel-in-progress: false
jobs:
  run:
    runs-on: ubuntu-latest
    timeout-minutes: {minutes + AROUND_MINUTES}
{_environment(job, needed)}    steps:
"""


def _bringing(job: Job, needed: Needed, version: str) -> str:
    agents = "".join(f'      - run: npm install -g "{DIALECTS[agent].package}"\n' for agent in needed.agents)
    return f"""\
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: pip install ceopt-tui=={version}
{agents}      - name: State of the run so far
        uses: actions/cache/restore@v4
        with:
{_cached(job)}          restore-keys: {_key(job)}
      - name: Branch of the run so far
        run: git fetch --no-tags origin "+refs/heads/optimize/*:refs/heads/optimize/*"
"""


def _running(job: Job, minutes: int) -> str:
    words = ("prune" if job.prune else "run", job.spec.relative_to(job.root).as_posix(), "--unattended")
    command = shlex.join(("ceopt", *words, "--max-minutes", str(minutes), *job.options))
    return f"""\
      - name: Run
        run: |
          status=0
          {command} || status=$?
          # {int(ExitStatus.WAITING)}: there is work left for the next start
          if [ "$status" -ne {int(ExitStatus.FINISHED)} ] && [ "$status" -ne {int(ExitStatus.WAITING)} ]; then
            exit "$status"
          fi
"""


def _keeping(job: Job) -> str:
    branch = optimization_branch(job.run)
    return f"""\
      - name: Keep the state
        if: always()
        uses: actions/cache/save@v4
        with:
{_cached(job)}      - name: Keep the branch
        if: always()
        run: |
          if git show-ref --verify --quiet refs/heads/{branch}; then
            git push origin refs/heads/{branch}
          fi
"""


def _cached(job: Job) -> str:
    """A cache is written once under its key, so each start has one of its own and begins with the newest."""
    path = json.dumps(job.state.parent.relative_to(job.root).as_posix(), ensure_ascii=False)
    number = "${{ github.run_id }}-${{ github.run_attempt }}"
    return f"          path: {path}\n          key: {_key(job)}{number}\n"


def _key(job: Job) -> str:
    return f"ceopt-{job.run}_"  # no run's name holds a _, so none is the beginning of another's key


def _environment(job: Job, needed: Needed) -> str:
    lines = [f"      {name}: ${{{{ secrets.{name} }}}}\n" for name in needed.keys]
    lines += [f"      {name}: ${{{{ vars.{name} }}}}\n" for name in needed.settings]
    lines.append(f"      {WAKE_VARIABLE}: {json.dumps(job.wake('CI'))}\n")
    return f"    env:\n{''.join(lines)}"


def _refuse(job: Job) -> None:
    """SetupError for what a workflow cannot do or would read as an expression of its own."""
    if job.interval.minutes < SHORTEST_INTERVAL:
        raise SetupError(f"a CI job cannot start every {job.interval}", f"{SHORTEST_INTERVAL}m is the shortest.")
    odd = next((text for text in (str(job.spec), *job.options) if "${{" in text), None)
    if odd is not None:
        raise SetupError(f"{odd!r} would be read as an expression by the CI system")
