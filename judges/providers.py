"""Which environment variables hold a provider's key and address. Data; nothing is read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Provider:
    """Variable names, the first one set wins. `keyless` providers run without a key."""

    keys: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    keyless: bool = False


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(("OPENAI_API_KEY",), ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
    "anthropic": Provider(("ANTHROPIC_API_KEY",), ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE")),
    "gemini": Provider(("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("GEMINI_API_BASE",)),
    "mistral": Provider(("MISTRAL_API_KEY",), ("MISTRAL_API_BASE",)),
    "groq": Provider(("GROQ_API_KEY",), ("GROQ_API_BASE",)),
    "openrouter": Provider(("OPENROUTER_API_KEY",), ("OPENROUTER_API_BASE",)),
    "azure": Provider(("AZURE_API_KEY",), ("AZURE_API_BASE",)),
    "deepseek": Provider(("DEEPSEEK_API_KEY",), ("DEEPSEEK_API_BASE",)),
    "xai": Provider(("XAI_API_KEY",), ("XAI_API_BASE",)),
    "together_ai": Provider(
        ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"), ("TOGETHERAI_API_BASE",)
    ),
    "fireworks_ai": Provider(("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY"), ("FIREWORKS_API_BASE",)),
    "cohere": Provider(("COHERE_API_KEY", "CO_API_KEY"), ("COHERE_API_BASE",)),
    "perplexity": Provider(("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"), ("PERPLEXITY_API_BASE",)),
    "cerebras": Provider(("CEREBRAS_API_KEY",), ("CEREBRAS_API_BASE",)),
    "nvidia_nim": Provider(("NVIDIA_NIM_API_KEY",), ("NVIDIA_NIM_API_BASE",)),
    "moonshot": Provider(("MOONSHOT_API_KEY",), ("MOONSHOT_API_BASE",)),
    "ollama": Provider((), ("OLLAMA_API_BASE",), keyless=True),
    "ollama_chat": Provider((), ("OLLAMA_API_BASE",), keyless=True),
    "hosted_vllm": Provider(("HOSTED_VLLM_API_KEY",), ("HOSTED_VLLM_API_BASE",), keyless=True),
    "lm_studio": Provider(("LM_STUDIO_API_KEY",), ("LM_STUDIO_API_BASE",), keyless=True),
    "local": Provider(keyless=True),
}

# Whole names of models are written with their provider; these beginnings are known without one.
_FAMILY_PROVIDERS = (
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("claude", "anthropic"),
    ("gemini", "gemini"),
    ("mistral-", "mistral"),
    ("deepseek-", "deepseek"),
    ("grok-", "xai"),
)


def with_provider(model: str) -> str | None:
    """`provider/model`, the provider guessed from a well-known beginning; None when there is nothing to go by."""
    if "/" in model:
        return model
    for beginning, provider in _FAMILY_PROVIDERS:
        if model.startswith(beginning):
            return f"{provider}/{model}"
    return None


def with_any_key(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment as if no provider's key were missing."""
    needed = [provider.keys for provider in PROVIDERS.values() if provider.keys]
    lacking = [keys[0] for keys in needed if not any(environ.get(key, "").strip() for key in keys)]
    return {**environ, **dict.fromkeys(lacking, "not needed")}
