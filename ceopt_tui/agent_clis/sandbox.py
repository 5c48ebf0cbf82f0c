"""A sandbox around a program by bubblewrap: it sees the system's programs and its own folders, nothing of the user's.

The network stays open, an agent could not reach its provider otherwise. Where bubblewrap is missing or may not work,
that is said and nothing is pretended.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.visible import one_line
from ceopt_tui.programs import Workplace

PROGRAM = "bwrap"
TRIAL_S = 10.0
SANDBOXED, NOT_SANDBOXED = "sandboxed", "not sandboxed"
NOT_INSTALLED = "bubblewrap is not installed"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
# Names of hosts, certificates, users and libraries; what else is there may be somebody's configuration.
_ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "gai.conf", "group", "host.conf",
    "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "os-release",
    "passwd", "pki", "protocols", "resolv.conf", "services", "ssl",
)  # fmt: skip
_APART = (
    "--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try",
)  # fmt: skip


@dataclass(frozen=True)
class Sandbox:
    """The sandbox there is on this machine; without a `program` there is none, and `why` says why not."""

    program: str | None
    environ: Mapping[str, str]
    why: str = ""

    @property
    def words(self) -> str:
        """How runs are told apart: in it, or not."""
        return SANDBOXED if self.program else NOT_SANDBOXED

    def box(self, arguments: Sequence[str], place: Workplace, folder: Path) -> Sequence[str]:
        """The command as it runs in the sandbox, in `folder`; without a sandbox as it is."""
        if self.program is None:
            return arguments
        own = [place.request, place.scratch, folder, *_linked(place.scratch)]
        return (
            self.program,
            *_APART,
            *_system(),
            *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
            *self._programs(arguments[0]),
            *(word for path in own for word in ("--bind", str(path), str(path))),
            *("--setenv", "IS_SANDBOX", "1", "--chdir", str(folder), "--"),
            *arguments,
        )

    def _programs(self, name: str) -> Iterator[str]:
        """What of the user's folders the program is made of, where it is not the system's."""
        found = shutil.which(name, path=self.environ.get("PATH"))
        if found is None:
            return
        executable, home = Path(found), Path(self.environ.get("HOME") or "/nonexistent")
        real = executable.resolve()
        parts = list(_parts_of(real, home))
        if interpreter := _interpreter(real, self.environ.get("PATH")):
            parts += [*_parts_of(interpreter, home), *_parts_of(interpreter.resolve(), home)]
        for path in dict.fromkeys(parts):
            yield from ("--ro-bind", str(path), str(path))
        if executable != real and not _of_system(executable) and not any(map(executable.is_relative_to, parts)):
            yield from ("--symlink", str(real), str(executable))


def find_sandbox(environ: Mapping[str, str]) -> Sandbox:
    """Looks for bubblewrap and tries it once: it may be there and not be allowed to work."""
    program = shutil.which(PROGRAM, path=environ.get("PATH"))
    if program is None:
        return Sandbox(None, environ, NOT_INSTALLED)
    trial = [program, *_APART, *_system(), "--proc", "/proc", "--dev", "/dev", "--", "/bin/sh", "-c", ":"]
    try:
        done = subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return Sandbox(None, environ, f"bubblewrap cannot be started: {one_line(str(error))}")
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace").strip())[:200]
        return Sandbox(None, environ, f"bubblewrap is not allowed to work here: {said or 'it says no reason'}")
    return Sandbox(program, environ)


def _system() -> Iterator[str]:
    for path in (*_SYSTEM, *(f"/etc/{name}" for name in _ETC)):
        yield from ("--ro-bind-try", path, path)


def _of_system(path: Path) -> bool:
    return any(map(path.is_relative_to, _SYSTEM))


def _linked(folder: Path) -> list[Path]:
    """Where links in the program's own home lead: a login that is renewed there."""
    return [path.resolve() for path in folder.rglob("*") if path.is_symlink() and path.exists()]


def _parts_of(program: Path, home: Path) -> Iterator[Path]:
    """The folder a program is installed in, by itself; else its file alone."""
    if _of_system(program):
        return
    if "node_modules" in program.parts:
        yield Path(*program.parts[: program.parts.index("node_modules") + 1])
        return
    installed = program.parent.parent
    shared = installed in {home / ".local", Path("/")} or home.is_relative_to(installed)
    yield installed if program.parent.name == "bin" and not shared else program


def _interpreter(script: Path, search: str | None) -> Path | None:
    """What a script names in its first line."""
    try:
        with script.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return None
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if len(words) > 1 and Path(words[0]).name == "env":
        found = shutil.which(next((word for word in words[1:] if not word.startswith("-")), ""), path=search)
        return Path(found) if found else None
    return Path(words[0]) if words else None
