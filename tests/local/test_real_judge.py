"""The larger local model as writer, judge and proposer of one small judged run: what holds, what it measures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import yaml
from triage_project import git

from ceopt_tui import judging_parts, wiring
from ceopt_tui.core.ports import Accept, ModelReply, ModelRequest
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.headless import HeadlessSkin
from ceopt_tui.inputs import digests, open_project
from ceopt_tui.run_options import RunOptions
from judges.client import LiteLLMClient
from schemas.evalset import Case
from schemas.records import Probed
from texttargets.importers.reading import read_failures

pytestmark = pytest.mark.local_model

FAILURES = Path(__file__).parents[2] / "examples" / "demo" / "failures.jsonl"
MODEL = "local/qwen2.5-coder-1.5b"
CASES = 10
FEEDBACK = re.compile(r'"feedback"\s*:\s*"((?:[^"\\]|\\.)*)"')
PATIENCE_S = 1200.0  # a busy machine is slow, not wrong
PROMPT = """\
# Bookings

You help the bookings desk of a guesthouse. Find out when the guest arrives.
"""
# Right or wrong, with the right answer beside it: what a model of this size judges best, and not well enough.
RUBRIC = """\
The desk needs the expected date, written as YYYY-MM-DD, and nothing else.
5: exactly the expected date, nothing else
4: the expected date as YYYY-MM-DD with other words around it
3: the expected date, but written in another form
2: another date
1: no date at all
"""
SPEC = f"""\
name: judged-dates
description: Give the date of arrival, year first, and nothing else
target: {{files: [prompt.md]}}
evalset: {{file: cases.yaml, seed: 7}}
metric:
  primary: {{type: judge, name: date_only, direction: maximize}}
  judge:
    rubric: rubric.md
    scoring: {{primary: date_only, method: expected}}
    model: {MODEL}
    batch_size: 1
    calibration: {{waived: a test of a small model}}
runner: {{model: {MODEL}, params: {{max_tokens: 48}}, repeats: 2, timeout_s: 600}}
proposer: {{kind: llm, model: {MODEL}}}
stopping: {{max_iterations: 1, max_calls: 400}}
"""


@dataclass
class Talk:
    """Every request of a run with the text it got."""

    exchanges: list[tuple[ModelRequest, str]] = field(default_factory=list)

    @property
    def roles(self) -> set[str]:
        """Who was asked at all."""
        return {request.role for request, _ in self.exchanges}

    def shown_to(self, role: str) -> str:
        """All that a role was sent."""
        sent = [request for request, _ in self.exchanges if request.role == role]
        return "\n".join(message.content for request in sent for message in request.messages)

    def feedback_on(self, cases: Mapping[str, Case]) -> set[str]:
        """What the judge said of outputs of these cases."""
        texts = [str(case.input) for case in cases.values()]
        about = [
            reply
            for request, reply in self.exchanges
            if request.role == "judge" and any(text in request.messages[-1].content for text in texts)
        ]
        return {found for reply in about for found in FEEDBACK.findall(reply) if len(found) > 20}


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Listens to the one client of a run, which waits as long as a small model on a busy machine takes."""
    heard = Talk()

    class Heard(LiteLLMClient):
        async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
            reply = await super().complete(replace(request, timeout_s=PATIENCE_S), accept)
            heard.exchanges.append((request, reply.text))
            return reply

    monkeypatch.setattr(wiring, "LiteLLMClient", Heard)
    return heard


def small_project(root: Path) -> dict[str, Case]:
    """A vague prompt with a dozen recorded messages of the demo, scored by a judge."""
    cases = {case.id: case for case in read_failures([FAILURES], all_items=True).cases[:CASES]}
    rows = [case.model_dump(mode="json", exclude={"check"}, exclude_defaults=True) for case in cases.values()]
    texts = {
        "prompt.md": PROMPT,
        "rubric.md": RUBRIC,
        "spec.yaml": SPEC,
        "cases.yaml": yaml.safe_dump({"name": "dates", "cases": rows}, allow_unicode=True),
    }
    root.mkdir()
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    return cases


@pytest.mark.usefixtures("larger_weights")
async def test_a_judge_is_tried_before_anything_else_is_paid_for(tmp_path: Path, talk: Talk) -> None:
    """Told as it is: this model falls for shortcuts, and then the run ends with the reason before its first output."""
    small_project(tmp_path / "repo")
    state, result = await ended(tmp_path)
    assert {probe.probe for probe in state.probes} >= {"good above bad", "constant output", "copied input"}
    failed = [probe for probe in state.probes if probe.status == "failed"]
    if failed:
        assert (result.status, result.outcome) == ("stopped", "harness_failed")
        assert all(probe.detail in result.reason for probe in failed)
    assert bool(failed) == ("task" not in talk.roles)
    every_call_is_in_the_account(state, talk)


@pytest.mark.usefixtures("larger_weights")
async def test_a_small_model_in_all_roles_ends_a_judged_run(
    tmp_path: Path, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run behind the probes, with this judge for want of a better one: its figures say nothing of any text."""

    async def untried(*_: object) -> tuple[Probed, ...]:
        return (Probed(probe="good above bad", status="not_run", detail="this judge is known not to pass"),)

    monkeypatch.setattr(judging_parts, "probe_judge", untried)
    cases = small_project(tmp_path / "repo")
    state, result = await ended(tmp_path)
    assert (result.status, int(result.exit_status)) == ("finished", 0)
    assert state.baseline is not None and 1 <= state.baseline.mean <= 5
    if "proposer" in talk.roles:
        nothing_held_out_reached_the_proposer(state, cases, talk)
    every_call_is_in_the_account(state, talk)


async def ended(folder: Path) -> tuple[RunState, TickResult]:
    """An approved run of the project, its figures printed."""
    spec, skin = folder / "repo" / "spec.yaml", HeadlessSkin(as_json=False, talk=print)
    approved = digests(open_project(spec))[0]
    options = RunOptions(spec, approve=approved, cache_dir=folder / "cache", state_root=folder / "state")
    result = await wiring.run_tick(options, skin)
    print(*measured(skin.state, result), sep="\n")
    return skin.state, result


def measured(state: RunState, result: TickResult) -> list[str]:
    """The figures of the run, one a line."""
    lines = ["", f"{result.status}: {result.outcome}. {result.reason}"]
    lines += [f"probe {probe.probe}: {probe.status}; {probe.detail}" for probe in state.probes]
    if state.baseline is not None:
        flips, again = state.judging.flips
        lines.append(f"baseline {state.baseline.mean:.2f}; {again} outputs judged twice, {flips} with another score")
    for grouping in state.judging.groupings:
        lines.append(f"themes by {grouping.method}, {len(grouping.unexplained)} cases unexplained")
        lines += [f"  {theme.id} {theme.name}: {theme.change} ({len(theme.cases)})" for theme in grouping.themes]
    for experiment in state.experiments.values():
        lines.append(f"{experiment.name} {experiment.hypothesis.description}")
        if closed := experiment.closed:
            lines.append(f"  {closed.outcome}: {closed.reason}; on its theme {closed.on_theme}, rest {closed.on_rest}")
    if gain := state.gain:
        lines.append(
            f"held out {gain.before:.2f} -> {gain.after:.2f}, 90% interval {gain.low:+.2f} to {gain.high:+.2f}"
        )
    lines += [
        f"{role}: {spend.calls} calls, {spend.input_tokens} + {spend.output_tokens} tokens, {spend.latency_s:.0f} s"
        for role, spend in state.spend.roles.items()
    ]
    return lines


def nothing_held_out_reached_the_proposer(state: RunState, cases: Mapping[str, Case], talk: Talk) -> None:
    assert state.split is not None
    chosen, held_out = set(state.split.selection), set(state.split.holdout)
    shown = talk.shown_to("proposer")
    assert any(str(cases[case].input) in shown for case in chosen)
    assert not any(str(cases[case].input) in shown or str(cases[case].observed) in shown for case in held_out)
    outputs = {
        case: {output for (_, of), given in state.runs.outputs.items() if of == case for output in given}
        for case in cases
    }
    of_chosen = set().union(*(outputs[case] for case in chosen))
    assert not any(output in shown for case in held_out for output in outputs[case] - of_chosen if len(output) > 20)
    by_side = [talk.feedback_on({case: cases[case] for case in side}) for side in (chosen, held_out)]
    assert by_side[0], "the judge gave no feedback on any failing selection case"
    assert not any(text in shown for text in by_side[1] - by_side[0])


def every_call_is_in_the_account(state: RunState, talk: Talk) -> None:
    assert talk.roles == set(state.spend.roles)
    for role, spend in state.spend.roles.items():
        asked = sum(request.role == role for request, _ in talk.exchanges)
        assert spend.answered + spend.cached == asked > 0
        assert spend.input_tokens > 0 < spend.output_tokens
