"""Language and token estimates, and excerpts of foreign text."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from ceopt_tui.core.tokens import estimate_tokens
from texttargets.excerpt import excerpt, on_one_line
from texttargets.language import check_language, guess_language

DATA = Path(__file__).parent.parent / "data" / "texts"
CORPORA = ("languages.yaml", "languages_unseen.yaml")
LEAST = {"languages.yaml": (26, 650), "languages_unseen.yaml": (18, 306)}  # languages, flips


def corpus(name: str) -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return loaded


def of_one_language(texts: dict[str, Any]) -> list[str]:
    return [texts["first"], texts["second"], *texts.get("mixed", ())]


@pytest.mark.parametrize("name", CORPORA)
def test_a_text_in_another_language_is_refused(name: str) -> None:
    texts = corpus(name)
    pairs = list(permutations(texts, 2))
    missed = [(was, now) for was, now in pairs if not check_language(texts[was]["first"], texts[now]["second"])]
    assert (len(texts), len(pairs)) == LEAST[name]
    assert missed == []


@pytest.mark.parametrize("name", CORPORA)
def test_a_text_in_its_own_language_is_not_whatever_stands_in_it(name: str) -> None:
    pairs = [pair for texts in corpus(name).values() for pair in permutations(of_one_language(texts), 2)]
    assert [pair for pair in pairs if check_language(*pair)] == []


@pytest.mark.parametrize("name", CORPORA)
def test_what_is_guessed_is_right(name: str) -> None:
    for language, texts in corpus(name).items():
        assert guess_language(texts["first"]) == guess_language(texts["second"]) == language
        assert {guess_language(text) for text in texts.get("mixed", ())} <= {language, None}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You must only use the tool when the user asks for it.", "English"),
        ("Ты помощник службы поддержки.", "Cyrillic"),
        ("请用一句话回答用户的问题。", "Chinese"),
        ("permits, taxes, schools, parks", None),
        ("", None),
        ("```\nif not the_user or a is b: for x in it: return that\n```", None),
    ],
)
def test_a_text_that_does_not_say_is_not_guessed(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_token_estimates_are_of_the_right_size() -> None:
    assert 9 <= estimate_tokens("The quick brown fox jumps over the lazy dog.") <= 14
    assert 7 <= estimate_tokens("请用一句话回答用户的问题") <= 14
    assert estimate_tokens("") == 0


def test_excerpts_are_short_and_hold_no_control_characters() -> None:
    assert excerpt("a\tb\x1b[0m\u202e") == "“a␉b␛[0m<U+202E>”"
    assert len(excerpt("x" * 500)) == 82
    assert on_one_line("日本 [b]x[/b]") == "日本 [b]x[/b]"


@pytest.mark.parametrize(
    ("was", "now", "script"),
    [
        ("Answer briefly.", "Отвечай коротко и ясно на каждый вопрос клиента.", "Cyrillic"),
        ("Be brief.", "简短回答客户问题。", "Chinese"),
        ("Отвечай кратко.", "Classify it.", "Latin"),
        ("Name one label.", "ラベルをひとつ答えてください", "Japanese"),
        ("Sort letters.", "Ταξινόμησε τα γράμματα.", "Greek"),
    ],
)
def test_a_short_text_in_another_script_is_in_another_language(was: str, now: str, script: str) -> None:
    (refusal,) = check_language(was, now)
    assert refusal.message.endswith(f"is now {script}")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("Translate to Russian.", "Translate to Russian.\nExample: Добрый день, как дела?"),
        ("Labels: billing, returns. Отвечай.", "Labels: billing, returns. Отвечай коротко и ясно, не спорь."),
        ("{a} → {b}", "Ответь одним словом на вопрос {a} → {b}"),
        ("Answer briefly.", "Antworte kurz."),
        ("要約", "要約してください"),
    ],
)
def test_a_text_of_two_scripts_or_few_letters_is_not_guessed(was: str, now: str) -> None:
    assert check_language(was, now) == []
