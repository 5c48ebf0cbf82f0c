"""Language and token estimates, and excerpts of foreign text."""

import pytest

from ceopt_tui.core.tokens import estimate_tokens
from texttargets.excerpt import excerpt, on_one_line
from texttargets.language import guess_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You must only use the tool when the user asks for it.", "English"),
        ("Antworte nur mit dem Namen und nicht mit einem Satz, wenn das geht.", "German"),
        ("Tu es un assistant qui répond dans la langue de la question et pas en anglais.", "French"),
        ("Responde solo con el nombre de la ciudad y no con una frase cuando se pueda.", "Spanish"),
        ("Ты помощник службы поддержки.", "Cyrillic"),
        ("请用一句话回答用户的问题。", "Chinese"),
        ("ユーザーの質問に一文で答えてください。", "Japanese"),
        ("사용자의 질문에 한 문장으로 답하세요.", "Korean"),
        ("permits, taxes, schools, parks", None),
        ("", None),
        ("```\nif not the_user or a is b: for x in it: return that\n```", None),
    ],
)
def test_guess_language(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_token_estimates_are_of_the_right_size() -> None:
    assert 9 <= estimate_tokens("The quick brown fox jumps over the lazy dog.") <= 14
    assert 7 <= estimate_tokens("请用一句话回答用户的问题") <= 14
    assert estimate_tokens("") == 0


def test_excerpts_are_short_and_hold_no_control_characters() -> None:
    assert excerpt("a\tb\x1b[0m\u202e") == "“a␉b␛[0m<U+202E>”"
    assert len(excerpt("x" * 500)) == 82
    assert on_one_line("日本 [b]x[/b]") == "日本 [b]x[/b]"
