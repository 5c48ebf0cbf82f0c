"""What the machine has: Python, git, repository, terminal, cache, local weights, other tools. Changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from ceopt_tui.agent_clis.dialect import Dialect
from ceopt_tui.agent_clis.sandbox import NOT_SANDBOXED, find_sandbox
from ceopt_tui.agent_clis.starting import DIALECTS, agent_version
from ceopt_tui.doctor.finding import Finding
from ceopt_tui.errors import CeoptError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.version import git_version, require_git
from ceopt_tui.version import VERSION
from judges.local_model.catalogue import MODELS, LocalModel
from judges.local_model.weights import present_weights

ENGINE = "xllamacpp"


def examine_machine(
    folder: Path, cache: Path, environ: Mapping[str, str], *, is_terminal: bool, engine: str = ENGINE
) -> Iterator[Finding]:
    """Findings about everything that needs no model; `folder` is where a run would be started."""
    yield Finding("ok", "ceopt", f"{VERSION} on Python {platform.python_version()}")
    yield from _git(folder)
    yield _terminal(environ, is_terminal)
    yield _cache(cache)
    if find_spec(engine) is None:
        yield Finding("note", "local models", "the extra `local` is not installed: install ceopt-tui[local]")
    else:
        yield from (_local_model(model, environ) for model in MODELS.values())
    yield from (_agent(dialect, environ) for dialect in DIALECTS.values())
    yield _sandbox(environ)


def _git(folder: Path) -> Iterator[Finding]:
    try:
        require_git(folder)
        yield Finding("ok", "git", "{}.{}".format(*git_version(folder)))
    except CeoptError as error:
        yield Finding("wrong", "git", str(error))
        return
    try:
        yield Finding("ok", "repository", str(Repository.find(folder).root))
    except CeoptError as error:
        yield Finding("note", "repository", error.message)


def _terminal(environ: Mapping[str, str], is_terminal: bool) -> Finding:
    if not is_terminal:
        return Finding("note", "terminal", "none here: the app needs one, --unattended does not")
    size = shutil.get_terminal_size()
    return Finding("ok", "terminal", f"{environ.get('TERM', 'unknown')}, {size.columns} × {size.lines}")


def _cache(folder: Path) -> Finding:
    place = folder
    while not place.exists():
        place = place.parent
    if os.access(place, os.W_OK | os.X_OK):
        return Finding("ok", "cache", str(folder))
    return Finding("note", "cache", f"{folder} cannot be written: replies will not be kept")


def _agent(dialect: Dialect, environ: Mapping[str, str]) -> Finding:
    """A coding agent is no fault to be without, and is asked for its version alone."""
    found = shutil.which(dialect.executable, path=environ.get("PATH"))
    if found is None:
        return Finding("note", dialect.executable, "not on the PATH; only a spec that names it needs it")
    version = agent_version(dialect, environ) or "it does not tell its version"
    login = "" if dialect.may_sign_in(environ) else f"; neither a key nor a login. {dialect.login}"
    return Finding("note", dialect.executable, f"{version}, {found}{login}")


def _sandbox(environ: Mapping[str, str]) -> Finding:
    """Agents that run a text do without; the run says so."""
    sandbox = find_sandbox(environ)
    if sandbox.program:
        return Finding("ok", "sandbox", f"{sandbox.program}, for agents that run a text")
    return Finding("note", "sandbox", f"agents that run a text are {NOT_SANDBOXED}: {sandbox.why}")


def _local_model(model: LocalModel, environ: Mapping[str, str]) -> Finding:
    try:
        weights = present_weights(model.name, environ=environ)
    except CeoptError as error:
        return Finding("wrong", model.name, str(error))
    if weights is None:
        return Finding("note", model.name, f"not downloaded; {model.size_bytes / 1e9:.1f} GB on first use")
    return Finding("ok", model.name, str(weights))
