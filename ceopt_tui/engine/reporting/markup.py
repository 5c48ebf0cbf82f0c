"""Markup that nothing foreign gets into: what is not markup already is escaped and made visible, its secrets hidden."""

from __future__ import annotations

from html import escape

from ceopt_tui.core.visible import said


class Markup(str):
    """Text that is HTML or SVG; only this module makes it."""

    __slots__ = ()


def text(value: str) -> Markup:
    """Foreign text as it reads."""
    return value if isinstance(value, Markup) else Markup(escape(said(value), quote=True))


def element(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """An element. Of an attribute's name a trailing underscore goes, others become hyphens; None leaves it out."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(map(text, children))
    return Markup(f"<{name}{shown}/>" if name in _VOID and not children else f"<{name}{shown}>{inner}</{name}>")


def joined(*pieces: str) -> Markup:
    """Pieces one after another."""
    return Markup("".join(map(text, pieces)))


def trusted(constant: str) -> Markup:
    """A constant of ceopt's own that is markup; never for text that came from elsewhere."""
    return Markup(constant)


_VOID = frozenset({"meta", "line", "rect", "circle", "path", "br"})


def _value(value: str | float) -> str:
    """Numbers in few digits, the same on every machine."""
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
