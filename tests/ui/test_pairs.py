"""Two views of one output: side by side where there is room, else below one another."""

from __future__ import annotations

from pathlib import Path

import pytest
from histories import FOREIGN
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from textual.content import Content

from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import visible
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.widgets.pairs import SIDE_BY_SIDE_FROM, Pairs

PAIRS = (
    ("Fixed the export. Bumped the linter. Moved the parser into a package of its own.",
     "You: 2, half of it is internals", "Judge: 5, complete and well ordered"),
    ("Save saves once.", "You: 4", "Judge: 2, two changes are missing"),
)  # fmt: skip
MESSAGE = """\
Of every 10 pairs of outputs that you scored differently, the judge ranks about 8 as you do.

Where you and the judge are furthest apart:"""
RESULT = Question("calibrated-1", "You and the judge", MESSAGE, "What now?", ("go on", "score 10 more"), PAIRS)


def rows(pairs: Pairs, width: int) -> list[str]:
    content = pairs._at(width)
    assert isinstance(content, Content)
    return content.plain.split("\n")


@pytest.mark.parametrize(("size", "name"), [((80, 24), "judge-result"), ((120, 40), "judge-result-wide")])
async def test_the_clearest_disagreements_stand_below_the_message(
    tmp_path: Path, size: tuple[int, int], name: str
) -> None:
    async with on_stage(Stage(tmp_path), size=size) as (app, pilot):
        await app.push_screen(QuestionScreen(RESULT))
        await until(pilot, lambda: "esc Later" in text_of(app) and "two changes are missing" in text_of(app))
        check_picture(app, name)
        line = next(line for line in text_of(app).split("\n") if "You: 4" in line)
        assert ("Judge: 2" in line) is (size[0] >= 100)


def test_columns_keep_every_word_and_their_places() -> None:
    shown = rows(Pairs(PAIRS), 96)
    places = {line.index(word) for line in shown for word in ("You:",) if word in line}
    assert places == {32} and max(map(len, shown)) <= 96
    assert " ".join(line[:30].strip() for line in shown[1:4]).split() == PAIRS[0][0].split()


def test_a_narrow_place_stacks_them() -> None:
    shown = rows(Pairs(PAIRS[1:]), SIDE_BY_SIDE_FROM - 1)
    assert shown == ["", "Save saves once.", "  You: 4", "  Judge: 2, two changes are missing"]


@pytest.mark.parametrize("width", [40, 100])
@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_is_literal_and_stays_in_its_column(text: str, width: int) -> None:
    pairs = Pairs([(text, text, f"right {text}")])
    content = pairs._at(width)
    assert not any("@" in str(span.style) for span in content.spans)
    assert all(line.cell_length <= width for line in content.split("\n"))
    if len(visible(text)) < 20:
        assert content.plain.count(visible(text)) == 3


def test_no_pairs_take_no_room() -> None:
    assert Pairs(()).get_content_height(None, None, 80) == 0  # type: ignore[arg-type]
