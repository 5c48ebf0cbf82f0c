"""The demo: a small real repository, its recorded failures, and a real run on the embedded model.

Does what a user would do by hand, step by step; nothing in it is recorded or assumed.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from ceopt_tui.core.describe import money, outcome_sentence
from ceopt_tui.core.figures import counted
from ceopt_tui.core.outcomes import experiment_word
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.text_diff import text_diff
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.git import git
from schemas.writing import evalset_yaml
from texttargets.importers.reading import read_failures

FAILURES, EVALSET, SPEC = "failures.jsonl", "evals/dates.yaml", "spec.yaml"
IDENTITY = ("-c", "user.name=ceopt", "-c", "user.email=ceopt@localhost", "-c", "commit.gpgsign=false")

Say = Callable[[str], None]


def demo_source() -> Path:
    """The demo's files: in the source tree, else where the installed package put them."""
    places = (
        Path(__file__).parent.parent / "examples" / "demo",
        Path(sysconfig.get_path("data")) / "share" / "ceopt" / "demo",
    )
    found = next((place for place in places if (place / SPEC).is_file()), None)
    if found is None:
        raise SetupError("the demo's files are not there", "Install ceopt again, or run it from a source checkout.")
    return found


def lay_out(folder: Path, say: Say) -> Path:
    """Makes the demo repository in `folder`, or finds the one that is there; gives its spec."""
    spec = folder / SPEC
    if spec.is_file() and (folder / ".git").exists():
        say(f"the demo repository is in {folder}; going on where it was")
        return spec
    if folder.exists() and any(folder.iterdir()):
        raise SetupError(f"{folder} is not empty", "Name another folder with --dir, or remove this one.")
    shutil.copytree(demo_source(), folder, dirs_exist_ok=True)
    git(["init", "--quiet", "--initial-branch=main"], folder)
    git(["add", "--all"], folder)
    git([*IDENTITY, "commit", "--quiet", "--message", "A prompt and its recorded failures"], folder)
    say(f"a small repository in {folder}: a prompt, and the failures a team recorded with it")
    return spec


def import_failures(folder: Path, say: Say) -> None:
    """Turns the recorded failures into the eval set, as `ceopt import --all` does."""
    out = folder / EVALSET
    if out.is_file():
        return
    result = read_failures([folder / FAILURES], all_items=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(evalset_yaml(result.evalset("dates")), encoding="utf-8", newline="")
    guards = sum(case.kind == "guard" for case in result.cases)
    say(f"imported {counted(len(result.cases), 'case')} ({guards} of them guards that pass today) → {EVALSET}")


def last_screen(state: RunState, folder: Path) -> str:
    """What the run did: diff, proof, what was refused and why, what to do next."""
    ceopt = "ceopt" if shutil.which("ceopt") else shlex.quote(str(Path(sys.argv[0]).absolute()))
    lines = ["", "What changed", ""]
    diff = text_diff(state.texts[state.original_digest], state.best_texts)
    lines += [f"  {line}" for line in diff.splitlines()] or ["  nothing: no change was confirmed"]
    lines += ["", "Proof", "", f"  {outcome_sentence(state, 1.0)}", "", "Tried and not kept", ""]
    dropped = [one for one in state.experiments.values() if one.closed and one.outcome != "kept"]
    named = (f"  {one.name} {experiment_word(one.outcome)}: {one.hypothesis.description}" for one in dropped)
    lines += [*named] or ["  nothing"]
    lines += [f"    {one.closed.reason}" for one in dropped[:3] if one.closed]
    lines += ["", f"Spent: {money(state)}", "", "Next", ""]
    lines += [
        f"  cd {shlex.quote(str(folder))}",
        f"  {ceopt} report        the whole report",
        f"  {ceopt} apply         the new text into your files",
        f"  {ceopt}               the app, with this run in it",
        "  With a key of your own:  export CEOPT_MODEL_CHEAP=openai/gpt-5-mini OPENAI_API_KEY=…",
        "  and in your repository:  ceopt init PROMPT --failures FILE   then   ceopt run SPEC",
    ]
    return "\n".join(lines)
