"""Where the server listens, and the names under which a browser may ask for it. Must not know what is served."""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from ceopt_tui.errors import SetupError

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """What a browser may call this server: `origins` as it writes them, the printed one first."""

    port: int
    origins: tuple[str, ...]

    @property
    def origin(self) -> str:
        return self.origins[0]

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers of these origins."""
        return frozenset(urlsplit(origin).netloc for origin in self.origins)

    @property
    def encrypted(self) -> bool:
        return self.origin.startswith("https:")


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there and nowhere else; port 0 takes a free one. SetupError when that cannot be."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((str(where[0]), port), family=family)
    except socket.gaierror as error:
        raise SetupError(f"{host} is no address of this machine: {error.strerror}") from error
    except OSError as error:
        raise _refusal(host, port, error) from error


def _refusal(host: str, port: int, error: OSError) -> SetupError:
    if error.errno == errno.EADDRINUSE:
        return SetupError(f"port {port} of {host} is in use", "Name another with --port; --port 0 takes a free one.")
    if error.errno == errno.EADDRNOTAVAIL:
        return SetupError(f"{host} is no address of this machine", "Without --host it is 127.0.0.1.")
    if error.errno == errno.EACCES:
        return SetupError(f"port {port} is not yours to use", "Take one above 1023, or --port 0.")
    return SetupError(f"cannot listen on {host}, port {port}: {os.strerror(error.errno or 0)}")


def address_of(host: str, port: int, url: str | None) -> Address:
    """The address of a server that listens on this port. `url` is how browsers reach it, where that is another.

    SetupError where nothing says under which name: a page that any name may ask for can be read by any web site.
    """
    bound = _ip(host)
    here: tuple[str, ...] = ()
    if host == "localhost" or (bound is not None and bound.is_loopback):
        here = tuple(_origin("http", name, port) for name in dict.fromkeys((host, "localhost")))
    elif bound is None or not bound.is_unspecified:
        here = (_origin("http", host, port),)
    if url is not None:
        return Address(port, tuple(dict.fromkeys((_given(url), *here))))
    if not here:
        raise SetupError(
            f"{host} is every address of this machine, so its name is not known",
            f"Say how browsers reach it, for example --url http://{socket.gethostname()}:{port}.",
        )
    return Address(port, here)


def is_private(host: str) -> bool:
    """Can this address be reached from this machine alone?"""
    bound = _ip(host)
    return host == "localhost" or (bound is not None and bound.is_loopback)


def _given(url: str) -> str:
    """The origin of an address that the user gave; SetupError when it is more than that, or less."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path.strip("/") or parts.query or "@" in url:
        raise SetupError(f"{url!r} is not where a server is", "Like https://box.example.org or http://box:8765.")
    return _origin(parts.scheme, parts.hostname, port or DEFAULT_PORTS[parts.scheme])


def _origin(scheme: str, host: str, port: int) -> str:
    """As browsers write it: in small letters, a port only where it is not the usual one."""
    name = f"[{host}]" if ":" in host else host.lower()
    return f"{scheme}://{name}" + ("" if DEFAULT_PORTS[scheme] == port else f":{port}")


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
