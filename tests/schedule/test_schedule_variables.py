"""Which variables a job needs: those of the models in use, by name, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.schedule.variables import Needed, missing_from, needed_variables, open_to_others, programs_of
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
    by_codex = needed({}, tmp_path, **CODE, execution={"backend": "codex"})
    assert by_codex == Needed(("CODEX_API_KEY",), (), agents=("codex",))
    edits = {"kind": "command", "command": "./edit", "environment": ["MY_KEY"]}
    assert needed({}, tmp_path, **CODE, proposer=edits) == Needed(("MY_KEY",), ())


def test_an_agent_brings_its_own_keys_and_addresses(tmp_path: Path) -> None:
    claude = {**CODE, "execution": {"backend": "claude"}}
    environ = {"CLAUDE_CODE_OAUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "http://x", "OPENAI_API_KEY": "k"}
    found = needed(environ, tmp_path, **claude)
    assert found == Needed(("CLAUDE_CODE_OAUTH_TOKEN",), ("ANTHROPIC_BASE_URL",), agents=("claude",))
    assert needed({}, tmp_path, **claude).keys == ("ANTHROPIC_API_KEY",)
    codex = {**CODE, "proposer": {"kind": "codex"}}
    assert needed({"OPENAI_API_KEY": "k"}, tmp_path, **codex).keys == ("OPENAI_API_KEY",)
    assert needed({"OPENAI_API_KEY": "k", "CODEX_API_KEY": "c"}, tmp_path, **codex).keys == ("CODEX_API_KEY",)


def test_a_login_of_codex_is_enough_where_it_is_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text("{}")
    environ, codex = {"CODEX_HOME": str(tmp_path)}, {**CODE, "execution": {"backend": "codex"}}
    assert needed(environ, tmp_path, **codex) == Needed((), (), ("CODEX_HOME",), ("codex",))
    spec = Spec.model_validate({**BASE, **codex})
    there = needed_variables(spec, environ, tmp_path / "config.yaml", {}, elsewhere=True)
    assert there.keys == ("CODEX_API_KEY",)


def test_an_agent_that_runs_a_text_signs_in_by_itself(tmp_path: Path) -> None:
    spec = {"runner": {"kind": "claude", "model": "anthropic/claude-haiku-4-5"}, "proposer": {"kind": "mechanical"}}
    found = needed({"CLAUDE_CODE_OAUTH_TOKEN": "t"}, tmp_path, **spec)
    assert found == Needed(("CLAUDE_CODE_OAUTH_TOKEN",), (), agents=("claude",))
    assert programs_of(Spec.model_validate({**BASE, **spec})) == ("claude", "node", "bwrap")
    assert programs_of(Spec.model_validate(BASE)) == ()


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
