"""Prints how many comparisons sorting takes, and whether it sorts. `--held-out` takes lists nobody tuned on."""

import json
import random
import sys

import sort

numbers = random.Random(2 if "--held-out" in sys.argv else 1)
lists = {f"{size} numbers": [numbers.random() for _ in range(size)] for size in (10, 40, 80)}
cases = {name: sort.sort(values) == sorted(values) for name, values in lists.items()}
print(json.dumps({"comparisons": sort.COUNTED[0], "sorted": all(cases.values()), "cases": cases}))
