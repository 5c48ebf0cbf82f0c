"""What the shell shows once the screen is closed: the outcome, how to go on, and where the log of a fault is."""

from __future__ import annotations

import shlex
import tempfile
import traceback
from pathlib import Path

import platformdirs

from ceopt_tui.core.describe import outcome_sentence
from ceopt_tui.core.masking import mask
from ceopt_tui.headless import run_counts
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.wiring import RunOptions


def outcome_lines(model: RunModel) -> list[str]:
    """The run in words and figures, for stdout; none when no tick has ended."""
    state, result, terms = model.state, model.result, model.terms
    if result is None:
        return []
    scored, unscored = run_counts(state)
    counts = f"{len(state.keeps)} kept of {len(state.experiments)} experiments"
    return [
        mask(outcome_sentence(state, terms.span if terms else 1.0)),
        f"{result.status}: {result.outcome}; {counts}; scored {scored}, unscored {unscored}",
    ]


def way_on(model: RunModel) -> list[str]:
    """Why the run is not finished and what to type to go on, for stderr."""
    result, options = model.result, model.entry.options
    if result is None or model.state.finished or options is None:
        return []
    return [mask(result.reason), f"to go on: {resume_command(options)}"]


def resume_command(options: RunOptions) -> str:
    """The command that opens this very run again."""
    words = ["ceopt", "run", str(options.spec_path)]
    for flag, value in (("--state-root", options.state_root), ("--cache-dir", options.cache_dir)):
        words += [flag, str(value)] if value is not None else []
    for role, model in options.models.items():
        words += ["--model", f"{role}={model}"]
    return shlex.join(words)


def last_line(error: BaseException) -> str:
    """The error itself, without the way to it."""
    return mask(traceback.format_exception_only(error)[-1].strip())


def write_log(error: BaseException) -> Path:
    """Writes the traceback, secrets hidden, where a person can send it from."""
    folder = platformdirs.user_log_path("ceopt")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir())
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="crash-", suffix=".log", dir=folder, delete=False
    ) as log:
        log.write(mask("".join(traceback.format_exception(error))))
    return Path(log.name)
