"""A screen as a picture in docs/pictures, compared byte for byte. CEOPT_UPDATE_PICTURES=1 rewrites the pictures."""

from __future__ import annotations

import os
import re
from pathlib import Path

from textual.app import App

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"
_RANDOM_ID = re.compile(r"terminal-\d+")
_REMOTE_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def check_picture(app: App[int], name: str) -> None:
    """Fails when the screen does not look as its picture, or has none."""
    seen = _REMOTE_FONTS.sub("", _RANDOM_ID.sub("terminal", app.export_screenshot(title="ceopt", simplify=True))) + "\n"
    path = FOLDER / f"{name}.svg"
    if os.environ.get("CEOPT_UPDATE_PICTURES") == "1":
        path.write_text(seen, encoding="utf-8")
    assert path.is_file(), f"{path} is missing; make it with CEOPT_UPDATE_PICTURES=1"
    assert path.read_text(encoding="utf-8") == seen, f"the screen differs from {path}"
