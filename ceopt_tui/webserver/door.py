"""Who may come in: the name a request asked for, the page it comes from, the token it carries.

Header values in, a refusal out; must not know aiohttp. Everything stands behind it, also what is not found.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ceopt_tui.webserver.address import Address

TOKEN_BYTES = 32
ENTRANCE = "/"  # the one path whose address may carry the token


@dataclass(frozen=True)
class Knock:
    """What a request says of itself. `token` is that of its address; None where there is none."""

    path: str
    hosts: Sequence[str]
    origin: str | None
    token: str | None
    cookies: Mapping[str, str]
    opens_socket: bool = False
    page_key: str | None = None


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered: 403 for where it comes from, 401 for what it lacks."""

    status: int
    text: str


ELSEWHERE = Refusal(403, "This server is not known under that name.")
FOREIGN = Refusal(403, "Another web site asked for this; only the page of this server may.")
LOCKED = Refusal(401, "Open the address that `ceopt serve` printed: it carries the token.")


def new_token() -> str:
    """As good as unguessable."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass
class Door:
    """Lets in who knows the token of the address, and from then on who has a cookie; to the app, only our own page.

    A browser sends a cookie to every port of a host, so any other server there learns it: it opens the page, which
    holds nothing. The app opens to the page's key, which the browser keeps for this port alone. The three are drawn
    independently, so that none of them leads to another.
    """

    address: Address
    token: str = field(default_factory=new_token)
    cookie_value: str = field(default_factory=new_token)
    page_key: str = field(default_factory=new_token)
    _single: str | None = None

    @property
    def cookie_name(self) -> str:
        """One of its own for each port, or servers would lock each other out."""
        return f"ceopt-{self.address.port}"

    @property
    def link(self) -> str:
        """The address to open."""
        return f"{self.address.origin}{ENTRANCE}?token={self.token}"

    def single_link(self) -> str:
        """An address that opens once: other users see what a browser is started with."""
        self._single = new_token()
        return f"{self.address.origin}{ENTRANCE}?token={self._single}"

    def refusal(self, knock: Knock) -> Refusal | None:
        """Why this request is not let in, or None. A name that is not ours comes from a page that had it renamed."""
        if len(knock.hosts) != 1 or knock.hosts[0].lower() not in self.address.hosts:
            return ELSEWHERE
        if knock.origin is None and knock.opens_socket:  # browsers always name it
            return FOREIGN
        if knock.origin is not None and knock.origin not in self.address.origins:
            return FOREIGN
        return None if self._known(knock) else LOCKED

    def enters(self, knock: Knock) -> bool:
        """Does the request bring the token in its address, to be given a cookie and the key of the page for it?"""
        return knock.path == ENTRANCE and knock.token is not None

    def _known(self, knock: Knock) -> bool:
        if self.enters(knock):
            assert knock.token is not None
            return _same(knock.token, self.token) or self._used_up(knock.token)
        if knock.opens_socket and not _same(knock.page_key or "", self.page_key):
            return False
        return _same(knock.cookies.get(self.cookie_name, ""), self.cookie_value)

    def _used_up(self, token: str) -> bool:
        if self._single is None or not _same(token, self._single):
            return False
        self._single = None
        return True


def _same(given: str, wanted: str) -> bool:
    """Takes as long for any wrong token."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
