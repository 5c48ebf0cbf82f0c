"""A task model and a strong one behind one address, for the examples with arrival dates: they answer by known rules."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stub_endpoint import Reply, completion

from schemas.loading import load_evalset

TASK_MODEL, STRONG_MODEL = "cheap-model", "strong-model"
RULE = "Answer with the date alone, as YYYY-MM-DD, and no other word."
FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]")
READER_MARK = re.compile(r'"marker": "([^"]+)"')


@dataclass
class DatesModel:
    """Finds the right date, but says it in a sentence unless the prompt forbids that; mail of even numbers is easy.

    The strong model rewrites a prompt with `RULE` in it, in the form it is asked for, and as a reader finds no fault.
    `asked` counts by model.
    """

    evalset: Path
    asked: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)  # what the strong model was shown

    def __post_init__(self) -> None:
        cases = load_evalset(self.evalset).evalset.cases
        self._dates = {str(case.input).strip(): (number, str(case.expected)) for number, case in enumerate(cases)}
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply:
        messages = [str(message["content"]) for message in body["messages"]]
        with self._lock:
            self.asked[body["model"]] += 1
        if body["model"] == STRONG_MODEL and (mark := READER_MARK.search(messages[0])):
            verdict = {"marker": mark[1], "reason": "a rule", "missing_observation": "", "reverted": False}
            return completion(json.dumps(verdict))
        if body["model"] == STRONG_MODEL:
            self.shown.append("\n".join(messages))
            return completion(self._rewrite(messages))
        number, date = self._dates[messages[-1].strip()]
        plain = RULE in messages[0] or number % 4 == 0
        return completion(date if plain else f"The date of arrival is {date}.")

    def _rewrite(self, messages: list[str]) -> str:
        """All fields that are asked for between marks, else the text in a fence."""
        text = f"# Arrival dates\n\nRead the message of a guest and find the date of arrival.\n\n- {RULE}"
        asked = FIELD.findall(messages[0].rpartition("will be structured")[2] or messages[0])
        wanted = [name for name in dict.fromkeys(asked) if name != "completed"]
        if not wanted:
            return f"```\n{text}\n```"
        return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name in wanted) + "\n\n[[ ## completed ## ]]"
