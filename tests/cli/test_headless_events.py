"""What the skin without a screen says, record by record."""

from __future__ import annotations

import json

from ceopt_tui.headless import HeadlessSkin
from schemas.records import HypothesisAdded, Noted

KEY = "sk-FAKE-ABCDEFGH12345678"


def test_no_string_of_an_event_shows_a_secret() -> None:
    lines: list[str] = []
    skin = HeadlessSkin(as_json=True, out=lines.append, secrets=["gateway-9f8e7d6c"])
    skin.recorded(Noted(text=f"the provider says {KEY}"))
    idea = HypothesisAdded(
        id="h001", description="a", category="b", move="m", source="llm", parameters={"line": ["say gateway-9f8e7d6c"]}
    )
    skin.recorded(idea)
    assert [json.loads(line)["event"] for line in lines] == ["noted", "hypothesis_added"]
    assert all("sk-***" in line and KEY not in line and "gateway-9f8e7d6c" not in line for line in lines)
