"""`ceopt demo`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from ceopt_tui.commands.running import run_headless
from ceopt_tui.core.visible import said
from ceopt_tui.demo import SPEC, import_failures, last_screen, lay_out
from ceopt_tui.engine.session import open_session
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import HeadlessSkin
from ceopt_tui.inputs import open_project
from ceopt_tui.journal.folders import claim
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import approve_ahead, folder_of
from ceopt_tui.system_clock import SystemClock
from judges.local_model.catalogue import DEFAULT_MODEL


@click.command("demo")
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=Path("ceopt-demo"), help="Where to make it.")
@click.option("--model", default=DEFAULT_MODEL, help="provider/model to run it on instead of the embedded one.")
def command(folder: Path, model: str) -> int:
    """Optimize a bad prompt with a real small model: no key, a few minutes, about 0.5 GB to download once."""
    skin = DemoSkin()
    spec = lay_out(folder.absolute(), skin.say)
    import_failures(folder.absolute(), skin.say)
    options = RunOptions(spec_path=spec, models={"cheap": model, "strong": model} if model != DEFAULT_MODEL else {})
    _approve(options)
    skin.say(f"running on {model}; starting the demo approves its spec, caps and baseline")
    status = run_headless(options, skin)
    if skin.state.stopped and skin.state.started:
        click.echo(said(last_screen(skin.state, folder)))
    if status != ExitStatus.FINISHED:
        skin.say(f"run the same command again to go on ({SPEC} in {folder})")
    return status


def _approve(options: RunOptions) -> None:
    project = open_project(options.spec_path)
    folder = folder_of(project, options)
    claim(folder, repository_root=project.repository.root, git_common_dir=project.repository.git_common_dir)
    with open_session(folder, SystemClock(), lambda _record: None) as session:
        if "spec" not in session.state.approvals:
            asyncio.run(approve_ahead(session, project, by="ceopt demo"))


class DemoSkin(HeadlessSkin):
    """Headless, with a progress line that moves where there is a terminal."""

    def __init__(self) -> None:
        super().__init__(as_json=False, talk=self.say)
        self._moving = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._line = ""

    def say(self, text: str) -> None:
        if self._moving and self._line:
            sys.stderr.write("\r" + " " * len(self._line) + "\r")
            self._line = ""
        print(text, file=sys.stderr, flush=True)

    def progress(self, title: str, done: int, total: int) -> None:
        if not self._moving:
            super().progress(title, done, total)
            return
        width = 30
        filled = width * done // max(total, 1)
        line = f"{title[:34]:<34} [{'#' * filled}{'.' * (width - filled)}] {done / max(total, 1):4.0%}"
        sys.stderr.write("\r" + line.ljust(len(self._line)))
        sys.stderr.flush()
        self._line = line
