"""From the name in a spec to the model one run uses: tier, address, key, parameters, price.

Reads the environment it is given and the user's config file; sends nothing. `None` means that nothing is configured
and the caller may offer the embedded model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ceopt_tui.core.ports import Price, ResolvedModel, Role
from ceopt_tui.errors import SetupError
from judges.prices import LOCAL_PREFIX
from judges.providers import PROVIDERS, Provider, with_provider
from judges.user_config import user_models
from schemas.spec_metric import LEGACY_TIERS
from schemas.spec_target import ModelSpec

Source = Literal["command line", "spec", "environment", "user config", "not configured"]

TIER_VARIABLES: Mapping[str, str] = {"cheap": "CEOPT_MODEL_CHEAP", "strong": "CEOPT_MODEL_STRONG"}
LOCAL_ENDPOINT = "local"
READER: Literal["reader"] = "reader"
DEFAULT_CONCURRENCY = 8


def resolve(
    role: Role,
    name: str,
    spec_models: Mapping[str, ModelSpec],
    environ: Mapping[str, str],
    user_config_path: Path | None,
    overrides: Mapping[str, str] | None = None,
    *,
    warn: Callable[[str], None] = lambda message: None,
) -> ResolvedModel | None:
    """The model that `name` (a tier, `provider/model`, or a key of `spec_models`) means for `role`.

    `overrides` come from the command line, by role or by tier. The first that names a model wins: overrides, spec,
    environment, user config. Raises SetupError in one line when its key is missing, InputError for a bad config file.
    """
    asked, tier = _asked_and_tier(role, name, overrides or {})
    config = user_models(user_config_path)
    chosen, _ = _chosen(tier, spec_models, environ, config)
    if chosen is None:
        return None
    model = with_provider(chosen)
    if model is None:
        raise SetupError(f"`{chosen}` does not say its provider: write provider/model, for example openai/{chosen}")
    details = [
        entry
        for models in (spec_models, config)
        for key in dict.fromkeys((asked, tier, chosen))
        if (entry := models.get(key)) is not None and entry.model in (None, chosen)
    ]
    return _bound(tier, model, details, environ, warn)


def chosen_from(
    role: Role,
    name: str,
    spec_models: Mapping[str, ModelSpec],
    environ: Mapping[str, str],
    user_config_path: Path | None,
    overrides: Mapping[str, str] | None = None,
) -> tuple[str | None, Source]:
    """Which model `resolve` would take, and where it is named. Asks for no key."""
    asked, tier = _asked_and_tier(role, name, overrides or {})
    chosen, source = _chosen(tier, spec_models, environ, user_models(user_config_path))
    return chosen, source if tier == asked or chosen is None else "command line"


def reader_name(
    spec_models: Mapping[str, ModelSpec],
    environ: Mapping[str, str],
    user_config_path: Path | None,
    overrides: Mapping[str, str] | None = None,
) -> str:
    """What the model that reads changes goes by: `reader` where one is named so, else the strong tier."""
    chosen, _ = chosen_from(READER, READER, spec_models, environ, user_config_path, overrides)
    return READER if chosen != READER else "strong"


def with_endpoint(model: ResolvedModel, api_base: str, api_key: str) -> ResolvedModel:
    """A `local/…` model bound to the server that runs it; its name and endpoint in keys and records stay the same."""
    return replace(model, api_base=api_base, api_key=api_key)


def is_local(model: ResolvedModel) -> bool:
    """Whether the model needs the embedded server."""
    return model.model.startswith(LOCAL_PREFIX)


def _asked_and_tier(role: Role, name: str, overrides: Mapping[str, str]) -> tuple[str, str]:
    asked = LEGACY_TIERS.get(name, name)
    return asked, _in_force(overrides.get(role, asked), overrides)


def _in_force(name: str, overrides: Mapping[str, str]) -> str:
    """The name after all overrides; one that leads back to itself ends there."""
    name, seen = LEGACY_TIERS.get(name, name), set[str]()
    while name in overrides and name not in seen:
        seen.add(name)
        name = LEGACY_TIERS.get(overrides[name], overrides[name])
    return name


def _chosen(
    tier: str, spec_models: Mapping[str, ModelSpec], environ: Mapping[str, str], config: Mapping[str, ModelSpec]
) -> tuple[str | None, Source]:
    in_spec, in_config = spec_models.get(tier), config.get(tier)
    if in_spec is not None and in_spec.model is not None:
        return in_spec.model, "spec"
    in_environment = environ.get(TIER_VARIABLES.get(tier, ""), "").strip()
    if in_environment:
        return in_environment, "environment"
    if in_config is not None and in_config.model is not None:
        return in_config.model, "user config"
    return (None, "not configured") if tier in TIER_VARIABLES else (tier, "spec")


def _bound(
    tier: str, model: str, details: list[ModelSpec], environ: Mapping[str, str], warn: Callable[[str], None]
) -> ResolvedModel:
    provider_name = model.partition("/")[0]
    provider = PROVIDERS.get(provider_name, Provider(keyless=True))
    api_base = _first(details, "api_base") or _variable(environ, provider.bases)
    price = _first(details, "usd_per_mtok")
    params: dict[str, Any] = {}
    for entry in reversed(details):
        params.update(entry.params)
    return ResolvedModel(
        name=tier,
        model=model,
        endpoint=_endpoint(provider_name, api_base),
        api_base=api_base,
        api_key=_key(model, provider, environ, warn),
        params=params,
        price=Price(price.in_, price.out) if price is not None else None,
        concurrency=_first(details, "concurrency") or DEFAULT_CONCURRENCY,
    )


def _key(model: str, provider: Provider, environ: Mapping[str, str], warn: Callable[[str], None]) -> str | None:
    for variable in provider.keys:
        raw = environ.get(variable, "")
        if raw.strip():
            if raw != raw.strip():
                warn(f"{variable} had white space around it; it is used without")
            return raw.strip()
    if provider.keyless:
        return None
    raise SetupError(f"no key for {model}: set {' or '.join(provider.keys)} in the environment")


def _variable(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((environ[name].strip() for name in names if environ.get(name, "").strip()), None)


def _first(details: list[ModelSpec], name: str) -> Any:
    return next((value for entry in details if (value := getattr(entry, name)) is not None), None)


def _endpoint(provider: str, api_base: str | None) -> str:
    if provider == LOCAL_PREFIX.rstrip("/"):
        return LOCAL_ENDPOINT
    if api_base is None:
        return provider
    return bare_address(api_base)


def bare_address(api_base: str) -> str:
    """The address without user name, password and query, which may hold secrets."""
    parts = urlsplit(api_base)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}".rstrip("/")
