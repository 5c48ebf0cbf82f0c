"""Takes what the real small model answered in the demo out of its journal, for `ceopt tour` (`make tour-replies`)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ceopt_tui.demo import SPEC, demo_source
from ceopt_tui.inputs import open_project
from ceopt_tui.replaying import question_key
from ceopt_tui.tour import REPLIES

CEOPT = (sys.executable, "-c", "from ceopt_tui.cli import main; main()")
CHARACTERS_PER_TOKEN = 4  # an estimate: most replies of a run come from its cache, without a count


def replies_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Every answer of the run, by its question; those that were lost are left out."""
    journal = next(folder.glob(".context/ceopt/*/journal.jsonl")).read_text(encoding="utf-8")
    records = [json.loads(line) for line in journal.splitlines()]
    texts = {one["text_digest"]: one["texts"] for one in records if one["kind"] in {"run_started", "candidate_made"}}
    inputs = {case.id: str(case.input) for case in open_project(folder / SPEC).cases}
    for run in records:
        if run["kind"] == "case_run" and run["unscored"] is None:
            (text,) = texts[run["text_digest"]].values()
            asked = [{"role": "system", "content": text}, {"role": "user", "content": inputs[run["case_id"]]}]
            said = sum(len(message["content"]) for message in asked)
            yield {
                "question": question_key(asked),
                "reply": run["output"],
                "tokens": [said // CHARACTERS_PER_TOKEN, max(1, len(run["output"]) // CHARACTERS_PER_TOKEN)],
            }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "demo"
    subprocess.run([*CEOPT, "demo", "--dir", str(folder)], check=True)
    lines = sorted({json.dumps(entry, ensure_ascii=False) for entry in replies_of(folder)})
    out = demo_source() / REPLIES
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} replies → {out}")


if __name__ == "__main__":
    main()
