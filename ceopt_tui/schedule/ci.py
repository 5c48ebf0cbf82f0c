"""A job for a CI system, in the form of a GitHub Actions workflow. Pure."""

from __future__ import annotations

import json
import shlex

from ceopt_tui.errors import SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.gitops.branches import optimization_branch
from ceopt_tui.schedule.job import Job
from ceopt_tui.schedule.variables import Needed

LONGEST_MINUTES = 300  # hosted runners end a job after six hours
AROUND_MINUTES = 15  # check-out, installation, saving
SHORTEST_INTERVAL = 5  # minutes; the service starts nothing more often


def workflow(job: Job, needed: Needed, version: str) -> str:
    """The workflow. State and branch of the run travel from one start to the next; keys come from the CI's secrets."""
    _refuse(job)
    minutes = min(job.max_minutes, LONGEST_MINUTES)
    spec = job.spec.relative_to(job.root).as_posix()
    state = job.state.parent.relative_to(job.root).as_posix()
    options = "".join(f" {shlex.quote(option)}" for option in ("--max-minutes", str(minutes), *job.options))
    branch, key = optimization_branch(job.run), f"ceopt-{job.run}-"
    verb = "prune" if job.prune else "run"
    return f"""\
name: ceopt {job.run}
on:
  schedule:
    - cron: "{job.interval.cron_fields}"
  workflow_dispatch:
permissions:
  contents: write  # the branch {branch} holds what the run keeps
concurrency:
  group: {key}run
  cancel-in-progress: false
jobs:
  run:
    runs-on: ubuntu-latest
    timeout-minutes: {minutes + AROUND_MINUTES}
{_environment(needed)}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: pip install ceopt-tui=={version}
      - name: State of the run so far
        uses: actions/cache/restore@v4
        with:
          path: {_yaml(state)}
          key: {key}${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
          restore-keys: {key}
      - name: Branch of the run so far
        run: git fetch --no-tags origin "+refs/heads/optimize/*:refs/heads/optimize/*"
      - name: Run
        run: |
          status=0
          ceopt {verb} {shlex.quote(spec)} --unattended{options} || status=$?
          # {int(ExitStatus.WAITING)}: there is work left for the next start
          if [ "$status" -ne {int(ExitStatus.FINISHED)} ] && [ "$status" -ne {int(ExitStatus.WAITING)} ]; then
            exit "$status"
          fi
      - name: Keep the state
        if: always()
        uses: actions/cache/save@v4
        with:
          path: {_yaml(state)}
          key: {key}${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
      - name: Keep the branch
        if: always()
        run: |
          if git show-ref --verify --quiet refs/heads/{branch}; then
            git push origin refs/heads/{branch}
          fi
"""


def _environment(needed: Needed) -> str:
    lines = [f"      {name}: ${{{{ secrets.{name} }}}}\n" for name in needed.keys]
    lines += [f"      {name}: ${{{{ vars.{name} }}}}\n" for name in needed.settings]
    return f"    env:\n{''.join(lines)}" if lines else ""


def _yaml(text: str) -> str:
    """A string that YAML reads back as it is."""
    return json.dumps(text, ensure_ascii=False)


def _refuse(job: Job) -> None:
    """SetupError for what a workflow cannot do or would read as an expression of its own."""
    if job.interval.minutes < SHORTEST_INTERVAL:
        raise SetupError(f"a CI job cannot start every {job.interval}", f"{SHORTEST_INTERVAL}m is the shortest.")
    odd = next((text for text in (str(job.spec), *job.options) if "${{" in text), None)
    if odd is not None:
        raise SetupError(f"{odd!r} would be read as an expression by the CI system")
