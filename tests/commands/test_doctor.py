"""`ceopt doctor`: findings by name, one call per model, nothing secret on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_commands import installed
from click.testing import CliRunner, Result
from stub_endpoint import StubEndpoint
from triage_project import make_project

from ceopt_tui.commands import doctor
from ceopt_tui.doctor.machine import examine_machine
from ceopt_tui.doctor.models import examine_models
from ceopt_tui.exits import ExitStatus

KEY = "sk-FAKE-ABCDEFGH12345678"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _no_models_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "user_config_file", lambda: tmp_path / "config.yaml")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(ROOT)


def ask(*arguments: str, **environ: str) -> tuple[int, str]:
    result: Result = CliRunner().invoke(doctor.command, arguments, env=environ, standalone_mode=False)
    assert result.exception is None, result.exception
    return int(result.return_value), result.output


def test_without_a_model_a_run_would_stop_and_the_ways_on_are_named() -> None:
    status, said = ask()
    assert status == ExitStatus.REFUSED
    assert "wrong  task" in said and "1 of " in said
    assert "CEOPT_MODEL_CHEAP=provider/model" in said
    assert "local/qwen2.5-coder-0.5b" in said


def test_roles_on_one_model_share_one_call() -> None:
    with StubEndpoint("ok", replies=["ready"]) as endpoint:
        shared = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base, "CEOPT_MODEL_CHEAP": "openai/small"}
        status, said = ask(**shared, CEOPT_MODEL_STRONG="openai/large")
        assert sorted(body["model"] for body in endpoint.bodies) == ["large", "small"]
        ask("--no-calls", **shared)
        assert endpoint.posts == 2
    assert status == ExitStatus.FINISHED
    assert "task and judge" in said
    assert "price unknown" in said
    assert "OPENAI_API_KEY" in said
    assert KEY not in said


@pytest.mark.parametrize("mode", ["401echo", "quota", "429", "500", "nochoices", "null"])
def test_a_model_that_does_not_answer_is_wrong_set_up(mode: str) -> None:
    with StubEndpoint(mode) as endpoint:
        environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base, "CEOPT_MODEL_STRONG": "openai/large"}
        status, said = ask(**environ, CEOPT_MODEL_CHEAP="local/qwen2.5-coder-0.5b")
    assert status == ExitStatus.REFUSED
    assert "wrong  proposer" in said
    assert "FAKE-ABCDEFGH" not in said


def test_a_missing_key_is_named_and_costs_no_call() -> None:
    status, said = ask(CEOPT_MODEL_CHEAP="openai/small")
    assert status == ExitStatus.REFUSED
    assert "set OPENAI_API_KEY" in said


def test_the_roles_of_a_spec_are_looked_at(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    smallest = (ROOT / "tests" / "data" / "schemas" / "smallest.yaml").read_text("utf-8")
    spec.write_text(f"{smallest}\nrunner: {{model: mine}}\nmodels: {{mine: {{model: ollama/x}}}}\n", "utf-8")
    _, said = ask("--no-calls", str(spec))
    assert "mine → ollama/x" in said
    assert "judge" not in said.split("keys")[1]


@pytest.mark.parametrize(("cap", "level", "expected"), [
    ("max_total_cost_usd: 5", "wrong ", ExitStatus.REFUSED), ("max_calls: 50", "ok    ", ExitStatus.FINISHED),
])  # fmt: skip
def test_a_cap_in_money_needs_a_price(tmp_path: Path, cap: str, level: str, expected: int) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1", stopping=cap)
    environ = {**place.environ, "CEOPT_MODEL_CHEAP": "openai/nobody-knows-its-price"}
    status, said = ask("--no-calls", str(place.root / "spec.yaml"), **environ)
    assert status == expected
    assert f"{level} task" in said
    assert ("the price of openai/nobody-knows-its-price is unknown" in said) == (expected == ExitStatus.REFUSED)


def test_a_spec_that_cannot_run_is_wrong(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    (place.root / "evals" / "triage.yaml").unlink()
    status, said = ask("--no-calls", str(place.root / "spec.yaml"), **place.environ)
    assert status == ExitStatus.REFUSED
    assert "wrong  spec" in said and "evals/triage.yaml is not there" in said


def test_a_bad_config_file_is_one_finding(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("modles: {}\n", "utf-8")
    findings, models = examine_models({}, config)
    assert [finding.level for finding in findings] == ["note", "wrong"]
    assert not models


def test_a_local_model_that_is_not_here_is_not_downloaded() -> None:
    status, said = ask(CEOPT_MODEL_CHEAP="local/qwen2.5-coder-0.5b")
    assert status == ExitStatus.FINISHED
    assert "was not tried: it is not downloaded" in said


def test_what_the_machine_lacks_is_said(tmp_path: Path) -> None:
    found = list(
        examine_machine(tmp_path, tmp_path / "cache", {"PATH": ""}, is_terminal=False, engine="no_such_engine")
    )
    by_subject = {finding.subject: finding for finding in found}
    assert by_subject["repository"].level == "note"
    assert "--unattended" in by_subject["terminal"].text
    assert "ceopt-tui[local]" in by_subject["local models"].text
    assert "not on the PATH" in by_subject["claude"].text


def test_a_coding_agent_is_told_with_its_version_and_what_it_lacks(tmp_path: Path) -> None:
    command = installed("codex", tmp_path / "bin")
    environ = command.environ | {"CODEX_API_KEY": ""}
    found = examine_machine(tmp_path, tmp_path / "cache", environ, is_terminal=False, engine="no_such_engine")
    texts = {finding.subject: finding.text for finding in found}
    assert texts["codex"].startswith("codex 9.8.7, ") and "codex login" in texts["codex"]
    found = examine_machine(tmp_path, tmp_path / "cache", command.environ, is_terminal=False, engine="no_such_engine")
    assert "login" not in {finding.subject: finding.text for finding in found}["codex"]
