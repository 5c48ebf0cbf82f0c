"""Who is let in: the right name, the right page, the right token, and nobody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ceopt_tui.webserver.address import address_of
from ceopt_tui.webserver.door import ELSEWHERE, FOREIGN, LOCKED, Door, Knock, Refusal

OURS = "http://127.0.0.1:8765"


@pytest.fixture
def door() -> Door:
    return Door(address_of("127.0.0.1", 8765, None))


@pytest.fixture
def known(door: Door) -> Knock:
    """The page of a browser that was let in before."""
    return Knock("/", ["127.0.0.1:8765"], None, None, {door.cookie_name: door.cookie_value}, page_key=door.page_key)


def test_the_printed_link_leads_in_and_each_door_has_another(door: Door) -> None:
    assert door.link == f"{OURS}/?token={door.token}"
    assert len(door.token) >= 43  # 256 bits
    assert Door(door.address).token != door.token


def test_the_token_of_the_address_or_the_cookie_is_enough(door: Door, known: Knock) -> None:
    first = replace(known, token=door.token, cookies={})
    assert door.refusal(first) is None and door.enters(first)
    assert door.refusal(known) is None and not door.enters(known)


@pytest.mark.parametrize("token", ["", "wrong", "é", "\udcff", None])
def test_any_other_token_is_refused(door: Door, known: Knock, token: str | None) -> None:
    assert door.refusal(replace(known, token=token, cookies={})) == LOCKED
    assert door.refusal(replace(known, token=None, cookies={door.cookie_name: token or ""})) == LOCKED


def test_a_wrong_token_is_refused_beside_a_right_cookie(door: Door, known: Knock) -> None:
    assert door.refusal(replace(known, token="old")) == LOCKED


@pytest.mark.parametrize("path", ["/ws", "/static/js/textual.js", "/download/key", "//", "/nowhere"])
def test_only_the_entrance_takes_a_token_from_the_address(door: Door, known: Knock, path: str) -> None:
    assert door.refusal(replace(known, path=path, token=door.token, cookies={})) == LOCKED


def test_a_cookie_of_another_server_opens_nothing(door: Door, known: Knock) -> None:
    other = Door(address_of("127.0.0.1", 8766, None))
    assert other.cookie_name != door.cookie_name
    for name in (other.cookie_name, door.cookie_name):
        assert door.refusal(replace(known, cookies={name: other.cookie_value})) == LOCKED


def test_who_learns_the_cookie_alone_gets_neither_a_socket_nor_the_key(door: Door, known: Knock) -> None:
    page = replace(known, page_key=None)
    assert door.refusal(page) is None
    for key in (None, "", door.cookie_value, door.token, Door(door.address).page_key):
        assert door.refusal(replace(page, path="/ws", origin=OURS, opens_socket=True, page_key=key)) == LOCKED
    assert door.refusal(replace(page, token=door.cookie_value)) == LOCKED


def test_the_key_of_the_page_is_no_cookie_and_no_token(door: Door, known: Knock) -> None:
    assert door.refusal(replace(known, origin=OURS, opens_socket=True, cookies={})) == LOCKED
    assert door.refusal(replace(known, token=door.page_key)) == LOCKED
    assert door.refusal(replace(known, cookies={door.cookie_name: door.page_key})) == LOCKED


@pytest.mark.parametrize(
    "hosts",
    [[], ["evil.example"], ["evil.example:8765"], ["127.0.0.1"], ["127.0.0.1:80"], ["127.0.0.1.evil.example:8765"],
     ["127.0.0.1:8765", "evil.example"], [""], ["0.0.0.0:8765"]],
)  # fmt: skip
def test_a_name_that_leads_here_by_a_trick_is_refused(door: Door, known: Knock, hosts: list[str]) -> None:
    assert door.refusal(replace(known, hosts=hosts)) == ELSEWHERE


def test_localhost_is_a_name_of_ours(door: Door, known: Knock) -> None:
    assert door.refusal(replace(known, hosts=["LOCALHOST:8765"])) is None


@pytest.mark.parametrize(
    ("origin", "opens_socket", "expected"),
    [
        (OURS, True, None),
        ("http://localhost:8765", True, None),
        (None, False, None),
        (None, True, FOREIGN),
        ("null", True, FOREIGN),
        ("http://evil.example", True, FOREIGN),
        ("http://evil.example", False, FOREIGN),
        ("https://127.0.0.1:8765", True, FOREIGN),
        ("http://127.0.0.1:9999", True, FOREIGN),
        (f"{OURS}.evil.example", True, FOREIGN),
    ],
)
def test_only_our_own_page_opens_a_socket(
    door: Door, known: Knock, origin: str | None, opens_socket: bool, expected: Refusal | None
) -> None:
    assert door.refusal(replace(known, origin=origin, opens_socket=opens_socket)) == expected


def test_the_link_a_browser_is_started_with_opens_once(door: Door, known: Knock) -> None:
    token = door.single_link().partition("token=")[2]
    assert token != door.token
    knock = replace(known, token=token, cookies={})
    assert door.refusal(knock) is None
    assert door.refusal(knock) == LOCKED
    assert door.refusal(replace(known, token=None, cookies={door.cookie_name: token})) == LOCKED
