"""Secrets never leave in readable form, and ordinary words are left alone."""

from __future__ import annotations

import pytest

from ceopt_tui.core.masking import MASK, mask, masked, redacted, secrets_in, secrets_of


@pytest.mark.parametrize(
    "secret",
    [
        "sk-FAKE-ABCDEFGH12345678",
        "sk-ant-api03-abcdefgh_12345678",
        "sk-proj-abc_DEF-12345678",
        "gsk_abcdefgh12345678",
        "xai-abcdefgh12345678",
        "AIzaSyA1234567890abcdefghijk",
        "AKIAFAKE12345678ABCD",
        "ghp_abcdefgh12345678abcdefgh12345678abcd",
        "github_pat_11ABCDEFG0abcdefgh",
        "hf_abcdefghijklmnop",
    ],
)
def test_keys_are_known_by_their_shape(secret: str) -> None:
    for text in (secret, f"key: {secret}.", f'{{"k":"{secret}"}}', f"https://host/?key={secret}&x=1", f"'{secret}\\n'"):
        masked = mask(text)
        assert secret not in masked
        assert MASK in masked


@pytest.mark.parametrize(
    "text",
    ["Bearer abc123def456", "bearer abc123def456", "Authorization: Bearer abc123def456", "api_key=abc123def456"],
)
def test_values_after_their_usual_names_are_masked(text: str) -> None:
    assert "abc123def456" not in mask(text)


def test_known_secrets_are_masked_longest_first_and_without_their_line_end() -> None:
    masked = mask("a hunter2hunter2-more b hunter2hunter2 c", ["hunter2hunter2\n", "hunter2hunter2-more"])
    assert masked == f"a {MASK} b {MASK} c"


@pytest.mark.parametrize(
    "text",
    [
        "the monkey and the turkey",
        "/home/key/risk-assessment-of-tasks",
        "Incorrect API key provided:",
        "the bearer of bad news, authorization required",
        "task-12345678 and disk-usage-report",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask(text, ["", "short"]) == text


def test_secrets_of_the_environment_go_by_their_names() -> None:
    environ = {
        "OPENAI_API_KEY": "first-secret\n",
        "AWS_SECRET_ACCESS_KEY": "second-secret",
        "GITHUB_TOKEN": "third-secret",
        "DB_PASSWORD": "fourth-secret",
        "EMPTY_TOKEN": "",
        "PATH": "/usr/bin:/bin",
        "KEYBOARD": "a long layout",
        "TOKENIZERS_PARALLELISM": "false-false",
    }
    assert secrets_in(environ) == {"first-secret", "second-secret", "third-secret", "fourth-secret"}


def test_parameters_are_written_down_without_what_is_secret_in_them() -> None:
    params = {
        "temperature": 0,
        "max_tokens": 50,
        "reasoning_effort": "low",
        "extra_headers": {"X-Auth": "gateway-9f8e7d6c", "X-Team": "support"},
        "extra_body": {
            "apiKey": "abcdef0123456789",
            "password": "hunter2hunter2",
            "tags": ["a", {"token": "t0k3n-t0k3n"}],
        },
        "Authorization": "Basic dXNlcjpwYXNz",
    }
    assert redacted(params) == {
        "temperature": 0,
        "max_tokens": 50,
        "reasoning_effort": "low",
        "extra_headers": {"X-Auth": MASK, "X-Team": MASK},
        "extra_body": {"apiKey": MASK, "password": MASK, "tags": ["a", {"token": MASK}]},
        "Authorization": MASK,
    }
    assert secrets_of(params) == {
        "gateway-9f8e7d6c", "support", "abcdef0123456789", "hunter2hunter2", "t0k3n-t0k3n", "Basic dXNlcjpwYXNz"
    }  # fmt: skip


def test_lists_of_parameters_are_looked_through_and_what_is_below_a_secret_name_is_hidden_whole() -> None:
    given = {"stop": ["one", {"api_key": "k3y-k3y-k3y"}], "token": ["first-t0k3n", 7, {"inner": "second-t0k3n"}]}
    assert redacted(given) == {"stop": ["one", {"api_key": MASK}], "token": [MASK, 7, {"inner": MASK}]}


def test_every_string_of_a_nested_value_is_masked() -> None:
    value = {"a": ["sk-FAKE-ABCDEFGH12345678", 1, None], "b": {"c": "mine-mine-1"}}
    assert masked(value, ["mine-mine-1"]) == {"a": [MASK, 1, None], "b": {"c": MASK}}
