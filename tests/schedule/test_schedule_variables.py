"""Which variables a job needs: those of the models in use, by name, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.schedule.variables import Needed, missing_from, needed_variables, open_to_others
from schemas.spec import Spec

BASE = {
    "name": "triage",
    "description": "d",
    "target": {"files": ["p.md"]},
    "evalset": {"file": "e.yaml"},
    "metric": {"primary": {"type": "hard", "name": "pass_rate", "direction": "maximize"}},
}
JUDGED = {
    "metric": {
        "primary": {"type": "judge", "name": "quality", "direction": "maximize"},
        "judge": {"rubric": "Is it good?", "scoring": {"primary": "quality"}, "model": "anthropic/claude-x"},
    }
}


def needed(environ: dict[str, str], tmp_path: Path, overrides: dict[str, str] | None = None, **more: object) -> Needed:
    spec = Spec.model_validate({**BASE, **more})
    return needed_variables(spec, environ, tmp_path / "config.yaml", overrides or {})


def test_a_tier_of_the_environment_needs_its_variable_and_its_providers_key(tmp_path: Path) -> None:
    environ = {
        "CEOPT_MODEL_CHEAP": "openai/x",
        "OPENAI_API_KEY": "k",
        "OPENAI_API_BASE": "http://x",
        "GROQ_API_KEY": "k",
    }
    found = needed(environ, tmp_path, proposer={"kind": "mechanical"})
    assert found == Needed(("OPENAI_API_KEY",), ("CEOPT_MODEL_CHEAP", "OPENAI_API_BASE"))


def test_every_role_counts(tmp_path: Path) -> None:
    environ = {"CEOPT_MODEL_CHEAP": "gemini/x", "CEOPT_MODEL_STRONG": "openai/y", "GOOGLE_API_KEY": "k"}
    found = needed(environ, tmp_path, **JUDGED)
    assert set(found.keys) == {"GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
    assert set(found.settings) == {"CEOPT_MODEL_CHEAP", "CEOPT_MODEL_STRONG"}


def test_a_model_that_the_spec_or_the_command_names_needs_no_tier(tmp_path: Path) -> None:
    environ = {"CEOPT_MODEL_CHEAP": "openai/x"}
    spec = {"models": {"cheap": {"model": "ollama/small"}}, "proposer": {"kind": "mechanical"}}
    assert needed(environ, tmp_path, **spec) == Needed((), ())
    named = needed(environ, tmp_path, {"task": "groq/z"}, proposer={"kind": "mechanical"})
    assert named == Needed(("GROQ_API_KEY",), ())
    environ["CEOPT_MODEL_STRONG"] = "openai/y"
    other_tier = needed(environ, tmp_path, {"task": "strong"}, proposer={"kind": "mechanical"})
    assert other_tier == Needed(("OPENAI_API_KEY",), ("CEOPT_MODEL_STRONG",))


def test_a_strong_model_reads_changes_also_where_it_has_no_ideas(tmp_path: Path) -> None:
    environ = {"CEOPT_MODEL_STRONG": "openai/y"}
    spec = {"models": {"cheap": {"model": "ollama/small"}}, "proposer": {"kind": "mechanical"}}
    assert needed(environ, tmp_path, **spec) == Needed(("OPENAI_API_KEY",), ("CEOPT_MODEL_STRONG",))
    spec["models"]["reader"] = {"model": "groq/z"}
    assert needed(environ, tmp_path, **spec) == Needed(("GROQ_API_KEY",), ())


def test_a_model_that_nobody_named_is_asked_for_where_a_run_needs_one(tmp_path: Path) -> None:
    assert needed({}, tmp_path) == Needed((), ("CEOPT_MODEL_CHEAP",))


GATE = {"name": "correct", "check": "== 1"}
CODE = {
    "target": None,
    "evalset": None,
    "metric": {"primary": {"type": "hard", "name": "ms", "direction": "minimize"}, "degenerate_gates": [GATE]},
    "measurement": {"command": "./measure", "stability": {"comparison": {"method": "relative"}}},
    "scope": {"mutable": ["src"], "immutable": ["bench"]},
}


def test_where_a_command_measures_the_editor_is_needed_and_no_task_model(tmp_path: Path) -> None:
    assert needed({}, tmp_path, **CODE) == Needed((), ("CEOPT_MODEL_STRONG",))
    assert needed({}, tmp_path, **CODE, execution={"backend": "codex"}) == Needed((), ())
    edits = {"kind": "command", "command": "./edit", "environment": ["MY_KEY"]}
    assert needed({}, tmp_path, **CODE, proposer=edits) == Needed(("MY_KEY",), ())


def test_where_this_machine_keeps_things_goes_along(tmp_path: Path) -> None:
    environ = {"CEOPT_LOCAL_GGUF": "/w.gguf", "HTTPS_PROXY": "http://me:pw@proxy", "XDG_CACHE_HOME": " ", "HOME": "/me"}
    spec = {"models": {"cheap": {"model": "local/qwen2.5-coder-0.5b"}}, "proposer": {"kind": "mechanical"}}
    found = needed(environ, tmp_path, **spec)
    assert found == Needed((), (), ("CEOPT_LOCAL_GGUF", "HTTPS_PROXY")) and "pw" not in str(found)


@pytest.mark.parametrize(
    ("text", "missing"),
    [("A=1\nB='2'\n", []), ("export A=1\n  B = 2\n", ["B"]), ("#A=1\nB=\n", ["A", "B"]), ("A= # later\nB=1", ["A"]),
     ("AB=1\nXB=2\n", ["A", "B"])],
)  # fmt: skip
def test_what_a_file_of_keys_lacks(text: str, missing: list[str], tmp_path: Path) -> None:
    file = tmp_path / "environment"
    assert missing_from(file, Needed(("A",), ("B",))) == ["A", "B"] and not open_to_others(file)
    file.write_text(text, "utf-8")
    assert missing_from(file, Needed(("A",), ("B",))) == missing
    file.chmod(0o600)
    assert not open_to_others(file)
    file.chmod(0o604)
    assert open_to_others(file)
