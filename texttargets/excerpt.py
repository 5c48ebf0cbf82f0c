"""Foreign text inside our own messages: short, on one line, control characters visible."""

from ceopt_tui.core.visible import one_line

LINE_BREAK = "\u240a"


def excerpt(text: str, limit: int = 80) -> str:
    """The text in quotation marks, cut to `limit` characters, safe to print on one line."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"“{on_one_line(short)}”"


def on_one_line(text: str) -> str:
    """The text with every control or hidden character, line breaks too, replaced by a mark of its own."""
    return one_line(text, LINE_BREAK)
