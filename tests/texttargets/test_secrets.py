"""Secrets in recorded texts: found by shape and randomness, and ordinary texts left alone.

Every credential here is made up; those with a checked shape are put together at run time.
"""

import pytest
from secret_corpus import ANNOUNCED, ORDINARY, TOKENS

from texttargets.secret_signs import MARK
from texttargets.secrets import Known, redact, redact_value, repeats, without_repeats

LETTERS = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"
FOUND = {
    "API key": f"sk-FAKE-{LETTERS[:20]}",
    "AWS key": "AKIA" + "FAKEFAKEFAKE0000",
    "GitHub token": "ghp_" + LETTERS[:36],
    "GitLab token": "glpat-" + LETTERS[:20],
    "Slack token": "xoxb-" + "1234567890-abcdefghij",
    "Google key": "AIza" + LETTERS[:35],
    "Stripe key": "sk_" + "live_" + LETTERS[:24],
    "Hugging Face token": "hf_" + LETTERS[:34],
    "registry token": "npm_" + LETTERS[:36],
    "SendGrid key": f"SG.{LETTERS[:22]}.{LETTERS[:40]}",
    "Telegram token": "123456789:AA" + LETTERS[:33],
    "JWT": f"eyJhbGciOiJub25lIn0.eyJ{LETTERS[:20]}.{LETTERS[:30]}",
    "random token": LETTERS,
}


@pytest.mark.parametrize("kind", FOUND)
def test_a_secret_is_found_by_its_shape(kind: str) -> None:
    text, kinds = redact(f"before {FOUND[kind]} after")
    assert (text, kinds) == (f"before {MARK} after", (kind,))


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("curl -H 'Authorization: Bearer abcdef0123456789abcd'", f"curl -H 'Authorization: Bearer {MARK}'"),
        ("Authorization: Basic dXNlcjpodW50ZXIy", f"Authorization: Basic {MARK}"),
        ("Basic dXNlcjpwYXNzd29yZDEyMw==", f"Basic {MARK}"),
        ("Cookie: session=9f8e7d6c5b4a39281706f5e4d3c2b1a0", f"Cookie: {MARK}"),
        ("-H 'cookie: theme=dark; sid=9f8e7d6c5b4a39281706; a' x", f"-H 'cookie: {MARK}' x"),
        ("Set-Cookie: id=9f8e7d6c5b4a39281706; Path=/; Secure\nnext", f"Set-Cookie: {MARK}\nnext"),
        ('{"Cookie": "PHPSESSID=q8v2m4k1j7h3g5f9d0s6a1z3"}', f'{{"Cookie": "{MARK}"}}'),
        ("GET /a?session=9f8e7d6c5b4a39281706f5e4d3c2b1a0&b=1", f"GET /a?session={MARK}&b=1"),
        ("JSESSIONID=1A530637289A03B07199A44E8D531427", f"JSESSIONID={MARK}"),
        ("postgres://app:hunter2@db.example.com/x", f"postgres://app:{MARK}@db.example.com/x"),
        ("login with password: hunter2.", f"login with password: {MARK}"),
        ("PGPASSWORD=swordfish psql", f"PGPASSWORD={MARK} psql"),
        ("?user=a&password=swordfish&next=1", f"?user=a&password={MARK}&next=1"),
        ('{"password": "correct horse battery"}', f'{{"password": "{MARK}"}}'),
        ('"{\\"password\\": \\"swordfish\\"}"', f'"{{\\"password\\": \\"{MARK}\\"}}"'),
        ("client_secret = 'a1b2c3d4e5f6'", f"client_secret = '{MARK}'"),
        ("accessToken: Zk39fkq0dkl3kfg0", f"accessToken: {MARK}"),
        ("https://hooks.slack.com/services/T000/B000/abcdefghijkl", f"https://hooks.slack.com/services/{MARK}"),
    ],
)
def test_a_secret_is_found_by_what_announces_it(text: str, redacted: str) -> None:
    assert redact(text)[0] == redacted


def test_a_private_key_goes_as_a_block_even_when_cut_off() -> None:
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    assert redact(f"key:\n{begin}\nMIIE\nabc\n{end}\nbye") == (f"key:\n{MARK}\nbye", ("private key",))
    assert redact(f"{begin}\nMIIE") == (MARK, ("private key",))


@pytest.mark.parametrize(
    "text",
    [
        "the word monkey and the path /home/key/skeleton",
        "my mail is pat@example.com",
        "I forgot my password: please reset it. Password: Required, at least 8 characters",
        "password=<your password> token=${API_TOKEN} password='********' PASSWORD=$DB_PASSWORD",
        "conn = connect(password=args.password, token=get_token(), api_key=os.environ['API_KEY'])",
        "PWD=/home/user/project2 OLDPWD=/srv/data1",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id 123e4567-e89b-12d3-a456-426614174000, order 4502-8871-2203, tel +49 30 1234567",
        "IBAN DE89370400440532013000",
        "sk-learn-style-estimator-names and sk-estimator-for-large-data",
        "max_tokens: 4096, token: billing, tokens: 123456789012",
        "see https://example.com:8080/a?session=new#top and git@github.com:owner/project.git",
        "getUserAccountSettingsFromRemoteService2024Version and CONSTANT_NAME_WITH_NUMBER_1234567890_INSIDE",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "the bearer of this letter, the secret: nobody knows; credentials: see the handbook of 2024",
        "basic training and Basic Authentication, basic knowledge, Basic information, basic arithmetic",
        "Cookie: theme=dark; lang=en-GB, cookie=yes; cookies: chocolate 2024, cookie policy v2024-05-01",
        "session: winter-2024-evening-class, session=2024-05-01-morning-group-2, inside: 12 rooms, side=left",
        "パスワード: 忘れました [token] {api_key}",
    ],
)
def test_ordinary_texts_are_left_byte_for_byte(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_of_the_known_services(name: str) -> None:
    kind, token = TOKENS[name]
    for text in (token, f"key {token}", f'{{"k": "{token}"}}', f"a\\n{token}\\nb", f"x={token};"):
        redacted, _ = redact(text)
        assert token not in redacted, (text, redacted)
        assert redacted.count(MARK) == 1
    assert redact(f"use {token} here") == (f"use {MARK} here", (kind,))


@pytest.mark.parametrize(("text", "secret"), ANNOUNCED)
def test_secrets_that_something_announces(text: str, secret: str) -> None:
    redacted, kinds = redact(text)
    assert secret not in redacted
    assert MARK in redacted
    assert len(kinds) == 1
    assert redact(redacted) == (redacted, ())


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_like_one_is_left(text: str) -> None:
    assert redact(text) == (text, ())


def test_what_was_recognised_once_is_known_again() -> None:
    known: Known = {}
    redact_value({"a": "password: hunter22!", "password": "fish", "b": f"x {FOUND['API key']}"}, known=known)
    assert list(known) == ["hunter22", FOUND["API key"]]
    patterns = repeats(known)
    said = {"a": "is hunter22 right?", "b": ["hunter225", f"({FOUND['API key']})", "fish"], "n": 3}
    assert without_repeats(said, patterns) == (
        {"a": f"is {MARK} right?", "b": ["hunter225", f"({MARK})", "fish"], "n": 3},
        2,
    )


def test_nested_values_are_redacted_and_names_count() -> None:
    value = {"login": {"password": "swordfish", "user": "pat"}, "turns": ["hi", f"key {FOUND['AWS key']}"], "n": 3}
    redacted, kinds = redact_value(value)
    assert redacted == {"login": {"password": MARK, "user": "pat"}, "turns": ["hi", f"key {MARK}"], "n": 3}
    assert kinds == ("password", "AWS key")


def test_redacting_twice_changes_nothing_more() -> None:
    for secret in FOUND.values():
        once, _ = redact(f"password={secret} and {secret}")
        assert redact(once) == (once, ())


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300_000,
        "a-" * 60_000,
        "password " * 20_000,
        "eyJ" * 60_000,
        "a://" * 50_000,
        "session=" * 40_000,
        "cookie=" * 40_000,
        "basic " * 50_000,
        "curl " * 50_000,
        "machine a login " * 20_000,
        "authorization: " * 20_000,
        "M" * 300_000,
        "://" * 100_000,
        "mysql " * 50_000,
        "A-.\n" * 60_000,
        "Private-Lines: 1\n" * 15_000,
        ":5432:a:b" * 30_000,
    ],
)
def test_long_texts_of_almost_secrets_come_to_an_end(text: str) -> None:
    assert redact(text) == (text, ())
