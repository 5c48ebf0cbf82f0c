"""What is really loaded: measured in fresh interpreters, since a promise about imports holds only where it is tried."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {"litellm", "textual", "diskcache", "scipy", "numpy", "openai"}
CODE = "import sys, json, importlib; {0}; print(json.dumps(sorted(sys.modules)))"


def loaded(statement: str) -> set[str]:
    """Names of all modules after a statement, in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def within(modules: set[str], *packages: str) -> set[str]:
    return {name for name in modules if name in packages or name.startswith(tuple(f"{one}." for one in packages))}


CORE = (
    "import pkgutil, ceopt_tui.core as core; "
    "[importlib.import_module(found.name) for found in pkgutil.walk_packages(core.__path__, 'ceopt_tui.core.')]"
)
ENGINE = CORE.replace("core", "engine")


def test_the_version_is_told_without_loading_anything_heavy() -> None:
    modules = loaded("from ceopt_tui.cli import ceopt; ceopt(['--version'], standalone_mode=False)")
    assert not tops(modules) & (HEAVY | {"pydantic", "yaml", "asyncio"})
    assert within(modules, "ceopt_tui") == {
        "ceopt_tui", "ceopt_tui.cli", "ceopt_tui.errors", "ceopt_tui.exits", "ceopt_tui.version", "ceopt_tui.shell",
        "ceopt_tui.core", "ceopt_tui.core.masking", "ceopt_tui.core.visible",
    }  # fmt: skip


def test_no_command_loads_litellm_or_textual_before_it_must() -> None:
    commands = ("run", "approve", "status", "log", "report", "diff", "apply", "check", "lint", "decide", "evalset")
    modules = loaded("; ".join(f"importlib.import_module('ceopt_tui.commands.{name}')" for name in commands))
    assert not tops(modules) & {"litellm", "textual", "openai", "scipy", "numpy"}


def test_the_core_is_arithmetic() -> None:
    modules = loaded(CORE)
    assert not tops(modules) & (HEAVY | {"asyncio", "yaml", "click", "subprocess"})
    assert not within(modules, "ceopt_tui.journal", "ceopt_tui.gitops", "ceopt_tui.engine", "judges", "texttargets")


def test_the_engine_knows_models_and_texts_only_through_ports() -> None:
    modules = loaded(ENGINE)
    assert not within(modules, "judges", "texttargets", "ceopt_tui.wiring", "ceopt_tui.ui", "ceopt_tui.study")
    assert not tops(modules) & {"litellm", "textual", "diskcache"}


def test_schemas_import_nothing_of_ours() -> None:
    modules = loaded("importlib.import_module('schemas.loading'); importlib.import_module('schemas.records')")
    assert within(modules, "ceopt_tui") <= {"ceopt_tui", "ceopt_tui.errors", "ceopt_tui.exits"}
    assert not within(modules, "judges", "texttargets")


def test_judges_and_texttargets_do_not_know_each_other() -> None:
    assert not within(loaded("importlib.import_module('judges.client')"), "texttargets", "ceopt_tui.engine")
    runner = loaded(
        "importlib.import_module('texttargets.runners.chat'), importlib.import_module('texttargets.guards')"
    )
    assert not within(runner, "judges", "ceopt_tui.engine")
