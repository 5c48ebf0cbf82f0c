"""A judge for the stub endpoint: it reads what it is asked to score and answers in the form it is asked for.

    endpoint.respond = plays_judge(lambda seen: {"score": 5 if "refund" in seen.output else 1})

A verdict may carry `probabilities`, a share for every token that could stand where its score stands.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from model_fakes import ManualClock, model_at
from stub_endpoint import Reply, StubEndpoint, completion

from ceopt_tui.core.ports import ResolvedModel
from judges.client import LiteLLMClient
from judges.judge_settings import JudgeSettings
from judges.ledger import Caps, Ledger
from judges.rubric import Rubric

_ITEM = re.compile(
    r"""<<<(?P<mark>\w+)\ item\ (?P<id>".*?")>>>\n<<<(?P=mark)\ input>>>\n(?P<input>.*?)\n
    (?:<<<(?P=mark)\ expected>>>\n(?P<expected>.*?)\n)?
    <<<(?P=mark)\ output>>>\n(?P<output>.*?)\n<<<(?P=mark)\ end>>>""",
    re.DOTALL | re.VERBOSE,
)
_SCORE = re.compile(r'(?<="score": )[0-9]+')


@dataclass(frozen=True)
class Seen:
    """One item as the judge was shown it."""

    id: str
    input: str
    output: str
    expected: str | None
    marker: str
    asked: str  # all that the call says

    @property
    def for_feedback(self) -> bool:
        """Whether it is asked about again because its feedback is missing."""
        return f'"{self.id}": the feedback is missing' in self.asked


Verdict = Callable[[Seen], Mapping[str, Any]]


def seen_items(body: Mapping[str, Any]) -> list[Seen]:
    """The items of one request."""
    asked = "\n".join(message["content"] for message in body["messages"])
    return [
        Seen(json.loads(item["id"]), item["input"], item["output"], item["expected"], item["mark"], asked)
        for item in _ITEM.finditer(body["messages"][-1]["content"])
    ]


def plays_judge(verdict: Verdict) -> Callable[[dict[str, Any]], Reply]:
    """Answers every item with its verdict; feedback only where feedback is asked for."""

    def respond(body: dict[str, Any]) -> Reply:
        seen = seen_items(body)
        rows: list[dict[str, Any]] = []
        probabilities: list[Mapping[str, float] | None] = []
        for item in seen:
            row: dict[str, Any] = {"item_id": item.id, "feedback": "Say why.", "score": 3, "ambiguous": False} | dict(
                verdict(item)
            )
            probabilities.append(row.pop("probabilities", None))
            if '"feedback"' not in body["messages"][0]["content"]:
                del row["feedback"]
            rows.append(row)
        text = json.dumps({"marker": seen[0].marker, "verdicts": rows}, ensure_ascii=False)
        given = probabilities if body.get("logprobs") and any(probabilities) else None
        return completion(text, logprobs=None if given is None else spelt(text, given))

    return respond


def spelt(text: str, probabilities: Sequence[Mapping[str, float] | None]) -> dict[str, Any]:
    """Log-probabilities of a reply, token by token; those of the n-th score are the n-th of `probabilities`."""
    tokens: list[dict[str, Any]] = []
    position = 0
    for score, shares in zip(_SCORE.finditer(text), probabilities, strict=True):
        tokens += [_token(part) for part in re.findall(r"\s*\S{1,4}", text[position : score.start()])]
        rest = text[position : score.start()]
        tokens += [_token(rest[len(rest.rstrip()) :])] if rest != rest.rstrip() else []
        tokens.append(_token(score[0], shares or {score[0]: 1.0}))
        position = score.end()
    return {"content": [*tokens, _token(text[position:])]}


def _token(text: str, shares: Mapping[str, float] | None = None) -> dict[str, Any]:
    shares = shares or {text: 1.0}
    top = [
        {"token": token, "logprob": math.log(share), "bytes": list(token.encode())} for token, share in shares.items()
    ]
    own = math.log(shares.get(text, 1e-9))
    return {"token": text, "logprob": own, "bytes": list(text.encode()), "top_logprobs": top}


@dataclass(frozen=True)
class Bench:
    """A client at the endpoint, its account, and a judge's settings."""

    client: LiteLLMClient
    ledger: Ledger
    settings: JudgeSettings
    clock: ManualClock


@asynccontextmanager
async def bench(
    endpoint: StubEndpoint,
    *,
    model: str | ResolvedModel = "openai/acme-judge-9",
    caps: Caps | None = None,
    rubric: Rubric | None = None,
    **settings: Any,
) -> AsyncGenerator[Bench, None]:
    """All that a judge needs, over the real client; no waiting is real."""
    clock, ledger = ManualClock(), Ledger(caps)
    bound = model_at(endpoint, model) if isinstance(model, str) else model
    bound = replace(bound, concurrency=settings.pop("concurrency", bound.concurrency))
    async with LiteLLMClient(ledger, None, clock=clock, sleep=clock.sleep) as client:
        yield Bench(client, ledger, JudgeSettings(rubric or Rubric("Be right."), bound, **settings), clock)
