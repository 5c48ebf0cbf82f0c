"""The shape of the code: small modules, plain names, nothing hidden, nothing loaded before it is needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("ceopt_tui", "judges", "texttargets", "schemas")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
CODE = [path for path in MODULES if path.name != "__init__.py"]

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc", "base", "core_utils"}

TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in CODE}
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in CODE}


def test_modules_are_small() -> None:
    assert not [name for name, text in TEXTS.items() if len(text.splitlines()) > MOST_LINES]


def test_a_module_says_what_it_owns() -> None:
    assert not [name for name, module in TREES.items() if not ast.get_docstring(module)]


def test_a_name_says_what_a_module_holds() -> None:
    assert not [name for name in TEXTS if name != name.lower() or set(Path(name).with_suffix("").parts) & SAYS_NOTHING]


def test_functions_are_short() -> None:
    long = [
        f"{name}:{node.lineno} {node.name}"
        for name, module in TREES.items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert not long


def test_nothing_is_left_for_later() -> None:
    words = re.compile(r"\b(TODO|FIXME|XXX)\b|raise NotImplementedError")
    assert not [name for name, text in TEXTS.items() if words.search(text)]


def test_packages_hold_no_code_of_their_own() -> None:
    assert not [path for path in MODULES if path.name == "__init__.py" and path.stat().st_size]


def test_folders_with_modules_are_packages() -> None:
    assert not [path for path in CODE if not (path.parent / "__init__.py").is_file()]


def test_test_modules_have_names_of_their_own() -> None:
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]


def _worker_calls(module: ast.Module) -> Iterator[ast.expr]:
    """Every `@work`, `@work(…)` and `….run_worker(…)`."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (made for made in node.decorator_list if _called(made) == "work")
        elif isinstance(node, ast.Call) and _called(node) == "run_worker":
            yield node


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_workers_of_the_app_have_groups_of_their_own() -> None:
    """Unnamed exclusive workers of one node cancel each other."""
    unnamed = [
        f"{name}:{call.lineno}"
        for name, module in TREES.items()
        for call in _worker_calls(module)
        if not (isinstance(call, ast.Call) and any(keyword.arg == "group" for keyword in call.keywords))
    ]
    assert not unnamed


def test_a_worker_without_a_group_would_be_found() -> None:
    module = ast.parse("@work\ndef a(): self.run_worker(b)\n@work(group='c')\nasync def d(): ...")
    calls = list(_worker_calls(module))
    assert len(calls) == 3


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_part_has_a_place_in_the_import_rules() -> None:
    contracts = project()["tool"]["importlinter"]["contracts"]  # type: ignore[index]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    placed = {name.strip() for line in layers for name in line.split("|")}
    parts = {f"ceopt_tui.{path.stem}" for path in (ROOT / "ceopt_tui").iterdir() if _is_part(path)}
    assert placed == parts | set(PACKAGES) - {"ceopt_tui"}


def _is_part(path: Path) -> bool:
    return (path.suffix == ".py" and path.name != "__init__.py") or (path / "__init__.py").is_file()


def test_what_changes_under_us_is_pinned() -> None:
    dependencies = project()["project"]["dependencies"]  # type: ignore[index]
    assert {name for name in dependencies if "==" in name} >= {"textual==8.2.8", "litellm==1.110.2"}


def loaded_by(code: str) -> set[str]:
    """Top-level names of all modules that are loaded after `code` ran in a process of its own."""
    told = f"{code}\nimport sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60)
    return set(result.stdout.split())


def test_the_command_line_loads_nothing_it_does_not_need() -> None:
    loaded = loaded_by("import ceopt_tui.cli")
    assert "click" in loaded
    assert not loaded & {"litellm", "textual", "diskcache", "pydantic", "yaml", "asyncio", "numpy", "judges"}


def test_wiring_a_run_does_not_load_litellm() -> None:
    loaded = loaded_by("import ceopt_tui.wiring, ceopt_tui.commands.run")
    assert not loaded & {"litellm", "textual", "openai"}


def test_the_app_does_not_wait_for_litellm() -> None:
    loaded = loaded_by("import ceopt_tui.ui.start")
    assert "textual" in loaded
    assert not loaded & {"litellm", "openai"}
