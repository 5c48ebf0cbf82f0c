"""Where the server listens and under which names; what cannot be is said with what to do."""

from __future__ import annotations

import socket

import pytest

from ceopt_tui.errors import SetupError
from ceopt_tui.webserver.address import address_of, is_private, listening


@pytest.mark.parametrize(
    ("host", "port", "url", "origins"),
    [
        ("127.0.0.1", 8765, None, ("http://127.0.0.1:8765", "http://localhost:8765")),
        ("localhost", 8765, None, ("http://localhost:8765",)),
        ("::1", 8765, None, ("http://[::1]:8765", "http://localhost:8765")),
        ("127.0.0.1", 80, None, ("http://127.0.0.1", "http://localhost")),
        ("10.1.2.3", 8765, None, ("http://10.1.2.3:8765",)),
        ("Box", 8765, None, ("http://box:8765",)),
        ("0.0.0.0", 8765, "http://Box:8765/", ("http://box:8765",)),
        ("127.0.0.1", 8765, "https://box.example.org",
         ("https://box.example.org", "http://127.0.0.1:8765", "http://localhost:8765")),
    ],
)  # fmt: skip
def test_the_names_of_a_server(host: str, port: int, url: str | None, origins: tuple[str, ...]) -> None:
    assert address_of(host, port, url).origins == origins


def test_every_address_of_the_machine_needs_a_name() -> None:
    for host in ("0.0.0.0", "::"):
        with pytest.raises(SetupError, match=r"every address[^\n]*\n.*--url http://"):
            address_of(host, 8765, None)


@pytest.mark.parametrize(
    "url", ["box", "ftp://box", "http://", "http://box/app", "http://box?a=1", "http://a@box", "http://box:x", "//box"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SetupError, match="is not where a server is"):
        address_of("127.0.0.1", 8765, url)


def test_a_port_in_use_is_told() -> None:
    with listening("127.0.0.1", 0) as held:
        port = held.getsockname()[1]
        with pytest.raises(SetupError, match=rf"port {port} of 127.0.0.1 is in use\n.*--port 0"):
            listening("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_a_host_that_is_not_here_is_told(host: str) -> None:
    with pytest.raises(SetupError, match="is no address of this machine"):
        listening(host, 0)


def test_it_listens_on_this_machine_alone() -> None:
    with listening("127.0.0.1", 0) as held:
        assert held.getsockname()[0] == "127.0.0.1"
        assert held.family is socket.AF_INET
    assert is_private("127.0.0.1") and is_private("::1") and is_private("localhost")
    assert not is_private("0.0.0.0") and not is_private("10.1.2.3") and not is_private("box")
