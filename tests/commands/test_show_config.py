"""`ceopt run --show-config`: what is in force and where it comes from, as JSON, without a key in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ceopt_process import Ended, Place, warm
from triage_project import KEY, make_project

MORE = "caution: high\nrunner: {params: {max_tokens: 99}}\n"


def shown(place: Place, *args: str, env: dict[str, str] | None = None) -> tuple[dict[str, Any], Ended]:
    ended = warm().run(place, "run", "spec.yaml", "--show-config", *args, env=env)
    assert ended.status == 0, ended.err
    return json.loads(ended.out), ended


def test_models_say_where_they_come_from_and_defaults_are_filled_in(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://me:secret-word@127.0.0.1:9/v1", proposer="auto", more=MORE)
    config, ended = shown(place)
    task, effective = config["effective"]["models"]["task"], config["effective"]
    assert (task["model"], task["from"]) == ("openai/gpt-4o-mini", "environment")
    assert task["endpoint"] == "http://127.0.0.1:9/v1" and task["usd_per_mtok"]["in"] > 0
    assert task["params"] == {"temperature": 0, "max_tokens": 99}
    assert effective["models"]["proposer"] == {"name": "strong", "model": None, "from": "not configured"}
    assert (effective["repeats"], effective["caution"]) == (4, "high")
    assert effective["caps"] == {"max_total_cost_usd": None, "max_calls": 2000.0}
    assert effective["cases"] == {"selection": 10, "held_out": 10}
    assert effective["digest_to_approve"] in ended.err
    assert config["name"] == "triage" and config["runner"]["params"] == {"max_tokens": 99}
    assert KEY not in ended.out + ended.err and "secret-word" not in ended.out + ended.err


def test_the_command_line_the_spec_and_the_users_file_are_told_apart(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1", proposer="auto")
    config, _ = shown(place, "--model", "task=openai/gpt-4o")
    task = config["effective"]["models"]["task"]
    assert (task["model"], task["from"]) == ("openai/gpt-4o", "command line")
    user = place.home / ".config" / "ceopt"
    user.mkdir(parents=True)
    (user / "config.yaml").write_text("models: {strong: {model: openai/gpt-4.1}}\n", encoding="utf-8")
    proposer = shown(place)[0]["effective"]["models"]["proposer"]
    assert (proposer["model"], proposer["from"]) == ("openai/gpt-4.1", "user config")
    assert proposer["params"]["max_tokens"] == 2048
    spec = place.root / "spec.yaml"
    headers = f"model: openai/gpt-4o, params: {{extra_headers: {{Authorization: Bearer {KEY}}}, api_key: {KEY}}}"
    headers += ", api_base: 'https://me:secret-word@models.example/v1?key=secret-too'"
    spec.write_text(spec.read_text().replace("cheap: {", f"cheap: {{{headers}, "))
    config, ended = shown(place)
    assert config["effective"]["models"]["task"]["from"] == "spec"
    assert config["models"]["cheap"]["api_base"] == "https://models.example/v1"
    assert not any(secret in ended.out + ended.err for secret in (KEY, "secret-word", "secret-too"))


def test_what_is_missing_is_said_and_stops_nothing(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    bare = {"PATH": os.environ["PATH"], "HOME": str(place.home)}
    models = shown(place, env=bare)[0]["effective"]["models"]
    assert models["task"]["model"] is None and models["task"]["from"] == "not configured"
    assert models["proposer"] == {"model": None, "from": "not needed: ideas come without a model"}
    keyless = shown(place, env={**bare, "CEOPT_MODEL_CHEAP": "openai/gpt-4o"})[0]["effective"]["models"]["task"]
    assert keyless["from"] == "environment" and "OPENAI_API_KEY" in keyless["problem"]


def test_an_agent_that_runs_the_text_gets_no_parameters_of_a_call(tmp_path: Path) -> None:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text() + "runner: {kind: claude, model: anthropic/claude-haiku-4-5, timeout_s: 90}\n")
    bare = {"PATH": os.environ["PATH"], "HOME": str(place.home), "CLAUDE_CODE_OAUTH_TOKEN": KEY}
    config, ended = shown(place, env=bare)
    task = config["effective"]["models"]["task"]
    assert (task["agent"], task["model"], task["params"]) == ("claude", "anthropic/claude-haiku-4-5", {})
    assert task["endpoint"].startswith("the claude command line") and task["timeout_s"] == 90
    assert task["variables"] == ["CLAUDE_CODE_OAUTH_TOKEN"] and "problem" not in task
    assert KEY not in ended.out + ended.err
    spec.write_text(spec.read_text().replace("anthropic/claude-haiku-4-5", "openai/gpt-4o"))
    assert "drives models of anthropic" in shown(place, env=bare)[0]["effective"]["models"]["task"]["problem"]
