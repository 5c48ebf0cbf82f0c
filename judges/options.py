"""The options of one request as litellm takes them, and which of them may be left out when a provider refuses them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.ports import ModelRequest, ResolvedModel
from ceopt_tui.errors import SetupError
from judges.prices import LOCAL_PREFIX

# These decide how a call is sent, counted and paid for, which is not a parameter's business.
_OURS = frozenset(
    {"model", "messages", "stream", "n", "api_key", "api_base", "base_url", "timeout", "max_retries", "num_retries"}
    | {"drop_params", "additional_drop_params", "fallbacks", "caching", "cache", "mock_response", "client"}
)
LOGPROB_OPTIONS = ("logprobs", "top_logprobs")  # neither is of use, or taken, without the other
_KEPT = frozenset({"max_tokens", "max_completion_tokens"})  # a reply without its limit could pass a cap


def request_options(request: ModelRequest) -> dict[str, Any]:
    """Parameters of the model and of the request, the latter winning, with the reply's schema where there is one."""
    options = {**request.model.params, **request.params}
    wrong = sorted(_OURS & options.keys())
    if wrong:
        raise SetupError(f"models.{request.model.name}.params may not set {', '.join(wrong)}: ceopt sets it itself")
    if request.response_schema is not None:
        options["response_format"] = _schema_format(request.response_schema)
    return options


def droppable(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the options a call can do without."""
    return tuple(name for name in options if name not in _KEPT)


def output_limit(options: Mapping[str, Any]) -> int | None:
    """The reply's limit in tokens, None when it has none."""
    for name in ("max_completion_tokens", "max_tokens"):
        if isinstance(options.get(name), int):
            return int(options[name])
    return None


def with_output_limit(options: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The options with another limit, under the name that is in use."""
    name = "max_completion_tokens" if "max_completion_tokens" in options else "max_tokens"
    return {**options, name: tokens}


def wire_name(model: ResolvedModel) -> str:
    """The name litellm routes by; the embedded model answers behind an OpenAI-compatible server."""
    return f"openai/{model.model.removeprefix(LOCAL_PREFIX)}" if model.model.startswith(LOCAL_PREFIX) else model.model


def _schema_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    strict = schema.get("additionalProperties") is False  # providers refuse a strict schema that leaves fields open
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema), "strict": strict}}
