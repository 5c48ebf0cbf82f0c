"""Records what the real small model answers in the demo, for `ceopt tour`. Minutes; see `make tour-replies`.

The demo is run for real; then each text it tried is asked about each case, so that a tour in which other cases come
first finds its answers too.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.demo import SPEC, demo_source
from ceopt_tui.inputs import Project, open_project
from ceopt_tui.replaying import question_key
from ceopt_tui.tour import REPLIES
from judges.local_binding import bound
from judges.local_model.catalogue import DEFAULT_MODEL

CEOPT = (sys.executable, "-c", "from ceopt_tui.cli import main; main()")


def texts_tried(folder: Path, project: Project) -> list[str]:
    """The text of the demo and all that its run made of it."""
    journal = next(folder.glob(".context/ceopt/*/journal.jsonl")).read_text(encoding="utf-8")
    records = [json.loads(line) for line in journal.splitlines()]
    made = [text for one in records if one["kind"] == "candidate_made" for text in one["texts"].values()]
    return list(dict.fromkeys([*project.texts.values(), *made]))


def ask(model: ResolvedModel, messages: list[dict[str, str]], params: dict[str, Any]) -> dict[str, Any]:
    """One reply, with the tokens it took."""
    body = {"model": "recorded", "messages": messages, "temperature": 0, **params}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {model.api_key}"}
    request = urllib.request.Request(f"{model.api_base}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        answer = json.load(response)
    usage = answer["usage"]
    reply = answer["choices"][0]["message"]["content"]
    return {
        "question": question_key(messages),
        "reply": reply,
        "tokens": [usage["prompt_tokens"], usage["completion_tokens"]],
    }


async def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "demo"
    subprocess.run([*CEOPT, "demo", "--dir", str(folder)], check=True)
    project = open_project(folder / SPEC)
    texts = texts_tried(folder, project)
    print(f"{len(texts)} texts on {len(project.cases)} cases")
    questions = [
        [{"role": "system", "content": text}, {"role": "user", "content": str(case.input)}]
        for text in texts
        for case in project.cases
    ]
    async with bound(ResolvedModel("task", DEFAULT_MODEL, "local")) as model:
        found = [await asyncio.to_thread(ask, model, one, dict(project.spec.runner.params)) for one in questions]
    lines = sorted({json.dumps(entry, ensure_ascii=False) for entry in found})
    out = demo_source() / REPLIES
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} replies → {out}")


if __name__ == "__main__":
    asyncio.run(main())
