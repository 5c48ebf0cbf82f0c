"""A run that is being set up: what could go into it, what it comes to; nothing is written before it is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest
from triage_project import KEY, PROMPT, git, label, question

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.new_run import Draft, failures_in, outlook, texts_in, write_files
from texttargets.init_metric import Wishes

ENVIRON = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "OPENAI_API_KEY": KEY}


def made(folder: Path, count: int = 20, **files: str) -> Draft:
    """A repository with a prompt and `count` failures, both chosen."""
    lines = "".join(f'{{"input": "{question(at)}", "expected": "{label(at)}"}}\n' for at in range(count))
    contents = {"prompts/triage.md": PROMPT, "failures.jsonl": lines, "README.md": "x\n", **files}
    for place, text in contents.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "start")
    return Draft(folder, folder / "prompts" / "triage.md", folder / "failures.jsonl")


def test_likely_files_come_first_and_what_ceopt_writes_itself_is_not_offered(tmp_path: Path) -> None:
    names = {"notes.md": "", "skills/x/SKILL.md": "", "package.json": "{}", "a.spec.yaml": "", "data.json": "[]"}
    made(tmp_path, **names)
    repository = Repository.find(tmp_path)
    assert texts_in(repository) == ["prompts/triage.md", "skills/x/SKILL.md", "notes.md", "README.md"]
    assert failures_in(repository) == ["failures.jsonl", "data.json"]


def test_a_draft_is_measured_priced_and_writes_nothing(tmp_path: Path) -> None:
    draft = made(tmp_path)
    seen = outlook(draft, ENVIRON)
    assert (
        seen.complete
        and not seen.judged
        and seen.models == ("task: openai/gpt-4o-mini", "ideas: no model, from set moves")
    )
    assert seen.detects.startswith("With 10 distinct held-out cases") and seen.plan[0].startswith(
        "Plan       baseline 40"
    )
    assert not list(tmp_path.glob("*.spec.yaml"))
    assert seen.new is not None
    write_files(seen.new)
    assert (tmp_path / "triage.spec.yaml").is_file() and (tmp_path / "evals" / "triage.yaml").is_file()
    with pytest.raises(SetupError, match="there already"):
        write_files(seen.new)
    assert "there already" in outlook(draft, ENVIRON).missing[0]


def test_an_eval_set_is_used_where_it_is(tmp_path: Path) -> None:
    cases = "\n".join(f"  - {{id: c{at}, input: {question(at)!r}, expected: {label(at)}}}" for at in range(12))
    draft = made(tmp_path, **{"sets/mine.yaml": f"name: mine\ncases:\n{cases}\n"})
    chosen = Draft(tmp_path, draft.target, tmp_path / "sets" / "mine.yaml")
    seen = outlook(chosen, ENVIRON)
    assert seen.complete and seen.new is not None and seen.account is None
    assert [path.name for path in seen.new.files] == ["triage.spec.yaml"]
    assert "file: sets/mine.yaml" in seen.new.files[seen.new.spec]


@pytest.mark.parametrize(
    ("environ", "count", "wishes", "missing"),
    [
        (ENVIRON, 4, Wishes(), "4 distinct cases; nothing can be kept with fewer than 5"),
        ({"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini"}, 20, Wishes(), "OPENAI_API_KEY"),
        ({**ENVIRON, "CEOPT_MODEL_CHEAP": "openai/nobody-knows"}, 20, Wishes(), "the price of openai/nobody"),
        (ENVIRON, 20, Wishes(models={"strong": "openai/nobody-knows"}), "the price of openai/nobody-knows is unknown"),
    ],
)  # fmt: skip
def test_what_would_stop_the_run_is_said_before_it_begins(
    tmp_path: Path, environ: dict[str, str], count: int, wishes: Wishes, missing: str
) -> None:
    draft = made(tmp_path, count)
    seen = outlook(Draft(draft.root, draft.target, draft.failures, wishes), environ)
    assert not seen.complete and any(missing in text for text in seen.missing)


def test_without_a_price_the_calls_can_be_capped(tmp_path: Path) -> None:
    draft = made(tmp_path)
    wishes = Wishes(models={"cheap": "openai/nobody-knows"}, usd=None, calls=300)
    seen = outlook(Draft(draft.root, draft.target, draft.failures, wishes), ENVIRON)
    assert seen.complete and "           price unknown; typical to worst, before the caps" in seen.plan


def test_open_answers_get_a_judge_with_the_faults_seen_so_far(tmp_path: Path) -> None:
    draft = made(tmp_path, **{"open.jsonl": '{"input": "a", "went_wrong": "too long"}\n{"input": "b"}\n'})
    seen = outlook(Draft(draft.root, draft.target, draft.root / "open.jsonl"), ENVIRON)
    assert seen.judged and seen.new is not None and "- too long" in seen.new.files[seen.new.spec]
    checked = Draft(draft.root, draft.target, draft.root / "open.jsonl", Wishes(measure="contains"))
    assert "no expected answer to check against" in outlook(checked, ENVIRON).missing[0]
