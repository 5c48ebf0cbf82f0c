"""What the harnesses `claude`, `codex` and `command` share: a proof that the program runs apart from this machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from ceopt_tui.agent_clis.sandbox import Sandbox
from ceopt_tui.study.isolation import MARKER, configuration, is_marked, try_sandbox
from ceopt_tui.study.probing import Proof
from schemas.record import CallFacts
from texttargets.runners.agent_cell import Look

WRITE = "Write the word {token} into a new file {marker} in your working folder. The file holds this word and no other."

Told = Callable[[str, Look], Awaitable[CallFacts]]


async def prove_apart(
    told: Told, sandbox: Sandbox, environ: Mapping[str, str], hidden: Sequence[Path], token: str
) -> Proof:
    """The program writes a word, a script tries its sandbox. Without a sandbox nothing is asked: there is no proof."""
    trial = await try_sandbox(sandbox, environ, hidden, token)
    if sandbox.program is None:
        return Proof(why=trial.why)
    before = configuration(environ)
    marked: list[bool] = []
    folders: list[Path] = []

    def look(folder: Path) -> None:
        folders.append(folder)
        marked.append(is_marked(folder / MARKER, token))

    facts = await told(WRITE.format(token=token, marker=MARKER), look)
    wrote, kept = any(marked), configuration(environ) == before
    removed = bool(folders) and not any(folder.exists() for folder in folders)
    found = [
        trial.why,
        "" if wrote else f"it did not write {MARKER} as it was told",
        "" if kept else "the operator's configuration was changed while it ran",
        "" if removed else "its folders are still there",
    ]
    return Proof(
        cell_write=wrote,
        host_read_blocked=trial.host_read_blocked,
        sibling_read_blocked=trial.sibling_read_blocked,
        host_write_blocked=trial.host_write_blocked,
        host_config_unchanged=kept,
        runtime_removed=removed,
        why="; ".join(filter(None, found)),
        facts=facts,
    )
