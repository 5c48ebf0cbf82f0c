"""Lets GEPA look for a better prompt and writes what it found back: the command of this spec's proposer.

It runs in a folder with `request.json` and the prompt. It knows the selection cases alone; whether the prompt really
got better is measured afterwards, by ceopt, on cases that were never in this folder.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path

import gepa
from gepa.adapters.default_adapter.default_adapter import EvaluationResult

TASK, STRONG = (os.environ[f"CEOPT_MODEL_{tier}"].removeprefix("openai/") for tier in ("CHEAP", "STRONG"))
RUNS_A_CASE = 8  # what GEPA may spend: so many runs of the prompt for each case
calls = 0


def ask(model: str, messages: list[dict[str, str]], **params: float) -> str:
    """One chat completion of the endpoint."""
    global calls
    calls += 1
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions",
        json.dumps({"model": model, "messages": messages, **params}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    with urllib.request.urlopen(request, timeout=180) as reply:
        return json.load(reply)["choices"][0]["message"]["content"] or ""


def score(data: dict, response: str) -> EvaluationResult:
    """The metric: all of the answer and nothing else; the right date among other words is a part of the way."""
    wanted, given = data["answer"], response.strip()
    if given == wanted:
        return EvaluationResult(1.0, "Right, and in the wanted form.")
    if wanted in given:
        return EvaluationResult(0.3, "The date is right, but the booking system takes the date alone, no other word.")
    return EvaluationResult(0.0, f"Wrong. {data['additional_context']['why']} The whole answer had to be {wanted}.")


def reflect(prompt: str, rules: list[str]) -> str:
    """What GEPA asks about a prompt and its failures, with what ceopt would refuse."""
    return ask(STRONG, [{"role": "user", "content": prompt + "\n\n" + "\n".join(f"- {rule}" for rule in rules)}])


def main() -> None:
    request = json.loads(Path("request.json").read_text())
    ((path, text),) = request["texts"].items()
    examples = [
        {"input": case["input"], "answer": case["expected"], "additional_context": {"why": case["went_wrong"] or ""}}
        for case in request["cases"]
    ]
    rules = [
        "Copy no message and no answer of the examples into the instruction.",
        *request["constraints"],
        *(f"Your last instruction was refused: {refusal['message']}" for refusal in request["refused"]),
    ]
    found = gepa.optimize(
        seed_candidate={"prompt": text},
        trainset=examples,
        task_lm=lambda messages: ask(TASK, messages, temperature=0, max_tokens=160),
        evaluator=score,
        reflection_lm=lambda prompt: reflect(prompt, rules),
        max_metric_calls=RUNS_A_CASE * len(examples),
        seed=request["seed"],
        logger=type("Quiet", (), {"log": lambda self, message: print(message, file=sys.stderr)})(),
    )
    best, scores = found.best_candidate["prompt"], found.val_aggregate_scores
    if best != text:  # what is left as it is counts as nothing found
        Path(path).write_text(best.strip() + "\n")
    note = f"GEPA: {len(scores)} prompts, {scores[0]:.2f} to {max(scores):.2f} on {len(examples)} selection cases"
    print(json.dumps({"note": note, "calls": calls}))  # no "usd": what a call costs is not known here


if __name__ == "__main__":
    main()
