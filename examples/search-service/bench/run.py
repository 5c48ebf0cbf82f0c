"""An expensive benchmark in small: work done per query, memory held, and how much of what is wanted is found.

Work is counted in lines that the service carries out, not in seconds, so that it repeats on a busy machine. A candidate
that is far too slow gives up by itself once `CEOPT_CENSOR_AFTER` seconds have passed: the rest could not help it.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from service.index import Index

WORDS = [f"word{number}" for number in range(120)]
QUERIES = 5 if "--smoke" in sys.argv else 40


def notes(seed):
    chosen = random.Random(seed)
    return {f"note {number}": " ".join(chosen.choices(WORDS, k=30)) for number in range(60)}


def wanted(texts, query):
    """What a search should find: the notes that hold most of the words, by name where they hold as many."""
    words = set(query.split())
    scores = {name: sum(word in words for word in text.split()) for name, text in texts.items()}
    return sorted((name for name in scores if scores[name]), key=lambda name: (-scores[name], name))[:10]


def held(value, seen):
    """Characters of all texts that are kept, each object once."""
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(held(key, seen) + held(item, seen) for key, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum(held(item, seen) for item in value)
    return held(vars(value), seen) if hasattr(value, "__dict__") else 1


def main():
    began, limit = time.monotonic(), float(os.environ.get("CEOPT_CENSOR_AFTER", "inf"))
    texts, queries = notes(3), random.Random(4)
    index, steps = Index(texts), [0]

    def count(frame, event, argument):
        steps[0] += event == "line"
        return count

    found, cases = 0, {}
    for number in range(QUERIES):
        query = " ".join(queries.sample(WORDS, 3))
        sys.settrace(count)
        try:
            answer = index.search(query)
        finally:
            sys.settrace(None)
        good = answer == wanted(texts, query)
        found += good
        cases[f"query {number}"] = good
        if time.monotonic() - began > limit:
            print("ceopt: censored", file=sys.stderr)
            sys.exit(125)
    print(
        json.dumps(
            {
                "steps": steps[0] / QUERIES,
                "memory": held(index, set()),
                "recall": found / QUERIES,
                "answered": True,
                "queries": QUERIES,
                "cases": cases,
            }
        )
    )


main()
