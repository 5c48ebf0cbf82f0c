"""From a name in a spec to a model: who wins, what it needs, and where its answers are filed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.core.ports import Price, ResolvedModel
from ceopt_tui.errors import InputError, SetupError
from judges.tiers import is_local, resolve, with_endpoint
from schemas.spec_target import ModelSpec

KEYS = {"OPENAI_API_KEY": "sk-a-key-12345", "ANTHROPIC_API_KEY": "sk-ant-12345678", "MISTRAL_API_KEY": "mmmmmmmmmm"}


def models(**entries: dict[str, Any]) -> dict[str, ModelSpec]:
    return {name.replace("__", "/"): ModelSpec.model_validate(entry) for name, entry in entries.items()}


def found(name: str = "cheap", spec: dict[str, ModelSpec] | None = None, **given: Any) -> ResolvedModel:
    environ = KEYS | given.pop("environ", {})
    model = resolve(
        "judge", name, spec or {}, environ, given.pop("config", None), given.pop("overrides", None), **given
    )
    assert model is not None
    return model


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(
        "models:\n"
        "  cheap: {model: mistral/from-config, concurrency: 3, params: {temperature: 0}}\n"
        "  openai/priced: {usd_per_mtok: {in: 1, out: 2}}\n"
    )
    return path


def test_each_source_gives_way_to_the_one_before_it(config: Path) -> None:
    spec = models(cheap={"model": "openai/from-spec"})
    environ = {"CEOPT_MODEL_CHEAP": "openai/from-environment"}
    overrides = {"cheap": "openai/from-command-line"}
    everything: dict[str, Any] = {"environ": environ, "config": config, "overrides": overrides}
    assert found(spec=spec, **everything).model == "openai/from-command-line"
    assert found(spec=spec, **(everything | {"overrides": {}})).model == "openai/from-spec"
    assert found(**(everything | {"overrides": {}})).model == "openai/from-environment"
    assert found(config=config).model == "mistral/from-config"
    assert resolve("judge", "cheap", {}, KEYS, None) is None
    assert resolve("judge", "strong", {}, KEYS, config) is None


@pytest.mark.parametrize(("alias", "tier"), [("haiku", "cheap"), ("sonnet", "strong")])
def test_old_names_are_tiers(alias: str, tier: str) -> None:
    spec = models(**{tier: {"model": "openai/x"}})
    assert found(alias, spec).name == tier
    assert found(alias, spec).model == "openai/x"


def test_an_override_may_be_for_one_role_and_may_name_a_tier() -> None:
    spec = models(cheap={"model": "openai/small"}, strong={"model": "openai/large"})
    assert found("cheap", spec, overrides={"judge": "strong"}).model == "openai/large"
    assert found("cheap", spec, overrides={"proposer": "strong"}).model == "openai/small"
    assert found("cheap", spec, overrides={"judge": "cheap", "cheap": "openai/other"}).model == "openai/other"
    assert found("cheap", spec, overrides={"cheap": "strong", "strong": "cheap"}).model == "openai/small"


def test_a_concrete_model_needs_no_entry_and_takes_details_from_one(config: Path) -> None:
    assert found("anthropic/claude-x").model == "anthropic/claude-x"
    assert found("openai/priced", config=config).price == Price(1.0, 2.0)
    assert found("claude-x").model == "anthropic/claude-x"


def test_details_of_another_model_are_not_applied() -> None:
    spec = models(cheap={"model": "openai/a", "api_base": "http://a", "usd_per_mtok": {"in": 1, "out": 1}})
    other = found("cheap", spec, overrides={"cheap": "openai/b"})
    assert (other.api_base, other.price) == (None, None)


def test_an_entry_without_a_model_refines_what_others_name(config: Path) -> None:
    spec = models(cheap={"params": {"max_tokens": 9}})
    model = found("cheap", spec, config=config)
    assert (model.model, model.concurrency) == ("mistral/from-config", 3)
    assert model.params == {"temperature": 0, "max_tokens": 9}


def test_a_name_of_one_s_own_in_the_spec() -> None:
    spec = models(referee={"model": "openai/x", "api_base": "http://127.0.0.1:9/v1/"})
    model = found("referee", spec)
    assert (model.name, model.endpoint) == ("referee", "http://127.0.0.1:9/v1")


def test_a_name_without_a_provider_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(SetupError, match="provider/model"):
        found("acme-7b")


@pytest.mark.parametrize("value", ["", "  \n"])
def test_a_missing_key_is_one_line_naming_the_variable(value: str) -> None:
    with pytest.raises(SetupError) as caught:
        resolve("task", "openai/x", {}, {"OPENAI_API_KEY": value}, None)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", ["ollama/x", "hosted_vllm/x", "local/x", "lm_studio/x", "unheard_of/x"])
def test_servers_of_one_s_own_need_no_key(model: str) -> None:
    resolved = resolve("task", model, {}, {}, None)
    assert resolved is not None
    assert resolved.api_key is None


def test_a_key_is_trimmed_and_said() -> None:
    heard: list[str] = []
    model = found("openai/x", environ={"OPENAI_API_KEY": "sk-secret-123456\n"}, warn=heard.append)
    assert model.api_key == "sk-secret-123456"
    assert len(heard) == 1
    assert "secret" not in heard[0]


def test_the_address_of_the_environment_is_used_where_the_spec_has_none() -> None:
    environ = {"OPENAI_API_BASE": "http://127.0.0.1:8/v1"}
    assert found("openai/x", environ=environ).api_base == "http://127.0.0.1:8/v1"
    spec = models(openai__x={"api_base": "http://127.0.0.1:9/v1"})
    assert found("openai/x", spec, environ=environ).api_base == "http://127.0.0.1:9/v1"


def test_an_endpoint_holds_no_secret() -> None:
    spec = models(cheap={"model": "openai/x", "api_base": "https://user:pass@host:8443/v1?key=abc#x"})
    assert found("cheap", spec).endpoint == "https://host:8443/v1"
    assert found("openai/x").endpoint == "openai"


def test_the_embedded_model_keeps_its_name_when_it_is_bound() -> None:
    model = found("local/small")
    assert is_local(model)
    bound = with_endpoint(model, "http://127.0.0.1:5/v1", "server-key")
    assert (bound.model, bound.endpoint, bound.api_base) == ("local/small", "local", "http://127.0.0.1:5/v1")


@pytest.mark.parametrize(
    ("text", "line"),
    [("models:\n  cheap: {modell: x}\n", 2), ("modles: {}\n", 1), ("models: [1]\n", 1), ("a: b: c\n", 1)],
)
def test_a_bad_config_file_is_named_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        found(config=path)
    assert caught.value.problems[0].line == line
    assert str(path) in str(caught.value)


def test_an_absent_or_empty_config_file_is_nothing(tmp_path: Path) -> None:
    assert resolve("task", "cheap", {}, KEYS, tmp_path / "none.yaml") is None
    (tmp_path / "config.yaml").write_text("")
    assert resolve("task", "cheap", {}, KEYS, tmp_path / "config.yaml") is None
