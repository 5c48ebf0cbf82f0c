"""Does a sandbox keep a program apart from this machine? A script of ours tries it; no model is asked.

What it must not read is planted or is the operator's; what it must not write is looked for afterwards, on the host.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.agent_clis.sandbox import Sandbox
from ceopt_tui.programs import program_environment, run_program, workplace
from texttargets.runners.canary import operators_files

TIMEOUT_S = 30.0
MARKER = "token.txt"
_LOOKS = """\
for one in "$@"; do
  case "$one" in
    read:*) if [ -r "${one#read:}" ]; then printf '%s\\n' "$one"; fi ;;
    write:*) ( printf x > "${one#write:}" ) 2>/dev/null ;;
  esac
done
printf 'looked\\n' > ran.txt
"""


@dataclass(frozen=True)
class Trial:
    """What the script could not do. `why` says what it could, or why it never ran."""

    host_read_blocked: bool = False
    sibling_read_blocked: bool = False
    host_write_blocked: bool = False
    why: str = ""


async def try_sandbox(sandbox: Sandbox, environ: Mapping[str, str], hidden: Sequence[Path], token: str) -> Trial:
    """Runs the script where the program will run. `hidden` are files of the study; `token` makes names nobody has."""
    if sandbox.program is None:
        return Trial(why=sandbox.why)
    with workplace() as place, workplace() as other:
        sibling = other.scratch / "sibling.txt"
        sibling.write_text(token, encoding="utf-8")
        folder = place.root / "work"
        folder.mkdir()
        reads = [path for path in (*hidden, *operators_files(environ)) if path.exists()]
        rooms = {path.parent for path in hidden} | {Path(environ.get("HOME", "/")), other.scratch}
        writes = [room / f".ceopt-probe-{token}" for room in sorted(rooms)]
        words = [f"read:{path}" for path in (*reads, sibling)] + [f"write:{path}" for path in writes]
        command = sandbox.box(["/bin/sh", "-c", _LOOKS, "look", *words], place, folder)
        environment = program_environment(environ, ())
        ended = await run_program(f"exec {shlex.join(command)}", place, environment, timeout_s=TIMEOUT_S, cwd=folder)
        written = [path for path in writes if path.exists()]
        for path in written:
            with suppress(OSError):
                path.unlink()
        if not is_marked(folder / "ran.txt", "looked"):
            return Trial(why=f"the sandbox does not start: {ended.stderr.strip()[-300:] or ended.fault}")
        seen = ended.stdout.splitlines()
    own = f"read:{sibling}"
    foreign = [line.removeprefix("read:") for line in seen if line != own]
    found = [f"reads {foreign[0]}"] if foreign else []
    found += ["reads the folder of another cell"] if own in seen else []
    found += [f"writes in {written[0].parent}"] if written else []
    return Trial(not foreign, own not in seen, not written, "; ".join(found))


def is_marked(path: Path, word: str) -> bool:
    """Is there a file of the program's own with this word and nothing else? A link to one is none."""
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes()[:200].strip() == word.encode()
    except OSError:
        return False


def configuration(environ: Mapping[str, str]) -> Mapping[str, tuple[int, int]]:
    """Size and time of every file that holds the operator's configuration, to be held against later."""
    found: dict[str, tuple[int, int]] = {}
    for place in operators_files(environ):
        for path in (place, *(sorted(place.rglob("*")) if place.is_dir() else ())):
            with suppress(OSError):
                stat = path.lstat()
                found[str(path)] = (stat.st_size, stat.st_mtime_ns)
    return found
