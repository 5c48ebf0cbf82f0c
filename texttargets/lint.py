"""Would this rewrite be refused, and why: the guard for hooks and other optimizers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.ports import Refusal
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.syntax_guess import guess_syntax


@dataclass(frozen=True)
class LintResult:
    """Accepted when nothing is refused."""

    accepted: bool
    refusals: tuple[Refusal, ...] = ()


def lint(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    sources: LeakSources | None = None,
    syntax: str | None = None,
    limits: Limits | None = None,
) -> LintResult:
    """Judge whole texts by the rules of a run; without a syntax it is guessed from the text and the cases."""
    known = sources if sources is not None else LeakSources()
    chosen = syntax or guess_syntax("\n".join(before.values()), [case.input for case in known.cases])
    refusals = tuple(make_guard(sources=known, syntax=chosen, limits=limits)(before, after))
    return LintResult(not refusals, refusals)


def lint_json(result: LintResult) -> dict[str, Any]:
    """The result as `ceopt lint --json` prints it."""
    refusals = [{"code": refusal.code, "message": refusal.message, "line": refusal.line} for refusal in result.refusals]
    return {"accepted": result.accepted, "refusals": refusals}
