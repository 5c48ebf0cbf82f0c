"""Which models are kin, whoever serves them."""

from __future__ import annotations

import pytest

from ceopt_tui.core.ports import ResolvedModel
from judges.family import family, kin


def named(model: str) -> ResolvedModel:
    return ResolvedModel("x", model, "e")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-5-mini", "gpt"),
        ("openai/o3-mini", "gpt"),
        ("azure/chatgpt-4o-latest", "gpt"),
        ("openrouter/anthropic/claude-haiku-4-5", "claude"),
        ("bedrock/anthropic.claude-3-haiku", "claude"),
        ("bedrock/eu.anthropic.claude-3.5-haiku", "claude"),
        ("vertex_ai/gemini-2.5-flash", "gemini"),
        ("mistral/codestral-latest", "mistral"),
        ("groq/meta-llama-3-8b", "llama"),
        ("local/qwen2.5-coder-1.5b", "qwen"),
        ("openrouter/qwen/qwq-32b", "qwen"),
        ("openai/acme-judge-9", "acme"),
        ("hosted_vllm/7b", "7b"),
    ],
)
def test_families(model: str, expected: str) -> None:
    assert family(model) == expected


def test_the_roles_a_judge_is_kin_to() -> None:
    judge = named("openai/gpt-5-mini")
    assert kin(judge, named("openai/gpt-5-mini"), named("azure/gpt-4o")) == ("task", "proposer")
    assert kin(judge, named("anthropic/claude-x"), named("openai/o4-mini")) == ("proposer",)
    assert kin(judge, named("openrouter/openai/gpt-4.1"), None) == ("task",)
    assert kin(judge, named("anthropic/claude-x"), named("mistral/small")) == ()
    assert kin(judge, None, None) == ()
