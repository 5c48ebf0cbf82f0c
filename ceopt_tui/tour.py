"""The tour: the demo's repository in a folder that goes away, its run for real, on the recorded replies of a model.

Everything but the model is what any run has: the engine, the evidence, the journal, the branch.
"""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.demo import demo_source, import_failures, lay_out
from ceopt_tui.errors import SetupError
from ceopt_tui.replaying import KEY, MODEL, Recorded, read_replies
from ceopt_tui.run_options import RunOptions

REPLIES = "replies.jsonl"

# What a person sees first, and what to press: one text for each kind of screen, and of question.
NOTES = {
    "home": "Tour: a prompt finds arrival dates, badly; 40 cases are recorded. enter opens its run, v its cases.",
    "spec": "Tour: nothing was called yet. This is the plan and its price. PgDn reads on; ↓ and enter choose.",
    "baseline": "Tour: how good the text is today, how much its answers vary, and which gains these cases can show.",
    "wrap-up": "Tour: the gain on cases never used before. Your files change only if you say so here.",
    "keep": "Tour: a winner. 2 shows the change, 3 the cases it fixed and broke, 4 the evidence. Keep it?",
    "run": "Tour: each line is one change, measured beside the best text so far. i adds an idea, r is the report.",
    "evalset": "Tour: the failures as cases. Half of them only confirm: no change is ever chosen on those.",
    "review": "Tour: one experiment. 1 to 4 show what was tried, the diff, the cases and the evidence.",
    "coverage": "Tour: which rules of the text the cases guard; m would measure it, which the recorded replies cannot.",
    "reading": "Tour: with your own text this is committed beside it. esc goes back.",
    "new": "Tour: this is how a run on a text of yours begins. esc goes back; nothing is written.",
}


def recorded_replies() -> dict[str, Recorded]:
    """The replies of the demo's model; SetupError when they are not installed."""
    path = demo_source() / REPLIES
    if not path.is_file():
        raise SetupError("the recorded replies are not there", "Install ceopt again, or run it from a source checkout.")
    return read_replies(path)


def lay_out_tour(folder: Path, base_url: str, environ: dict[str, str]) -> RunOptions:
    """Makes the repository below `folder` and gives how its run is started."""
    spec = lay_out(folder / "demo", _silent)
    import_failures(folder / "demo", _silent)
    environ = {**environ, "OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": KEY}
    models = {"task": MODEL, "cheap": MODEL}
    return RunOptions(spec, attended=True, cache_dir=folder / "cache", environ=environ, models=models)


def _silent(_text: str) -> None:
    """The app shows what was made."""
