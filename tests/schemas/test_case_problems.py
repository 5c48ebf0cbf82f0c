"""What is said of a case that cannot be checked: its id, and the word null only where it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.loading import check_file

HEAD = "name: s\ncheck: {type: normalized}\ncases:\n  - {id: first, input: a, expected: b}\n"


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("{id: new, input: a}", "is required by check normalized (case new)"),
        (
            "{id: new, input: a, expected: null}",
            "is required by check normalized; the word null needs quotes (case new)",
        ),
        ("{input: a}", "is required and missing"),
        ("{id: first, input: c, expected: d}", "duplicate id 'first' on lines 4 and 5 (different content)"),
    ],
)
def test_a_case_is_named_by_its_id(tmp_path: Path, case: str, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"{HEAD}  - {case}\n", encoding="utf-8")
    assert message in [problem.message for problem in check_file(path)]
