"""Groups the messages and prints gates, and every group as an item for a judge; groups of one are judged alone."""

import json
from pathlib import Path

from clusters.group import groups

messages = Path("messages.txt").read_text(encoding="utf-8").splitlines()
found = groups(messages)
items = [
    {
        "id": name,
        "output": "\n".join(members),
        "bucket": "large" if len(members) > 2 else "small",
        "singleton": len(members) == 1,
    }
    for name, members in found.items()
]
placed = sorted(message for members in found.values() for message in members)
print(json.dumps({"all_placed": placed == sorted(messages), "groups": len(found), "items": items}))
