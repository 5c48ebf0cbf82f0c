"""ceopt's own rule in the same world: the real evidence functions, step by step as the loop calls them."""

from __future__ import annotations

from decision_rivals import Outcome
from decision_world import Floats, Indices, Text, World

from ceopt_tui.core.evidence.gain import final_gain
from ceopt_tui.core.evidence.ladder import decide_holdout, decide_selection
from ceopt_tui.core.evidence.looks import split_size
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Caution, Setting

Scores = dict[str, list[float]]


class EvidenceRun:
    """One run of the ladder. Scores are kept per text and case, the pools of noise over the whole run."""

    def __init__(self, world: World, caution: Caution) -> None:
        cut = split_size(world.scenario.cases)
        self.world = world
        self.held_out, self.selection = world.order[:cut], world.order[cut:]
        self.setting = Setting(span=world.scenario.span, caution=caution)
        self.reserve = 2 * cut * self.setting.holdout_runs  # the report is paid for before anything else
        self.noise = Noise()
        self.looks = self.keeps = 0
        self.best = world.original
        self.kept: list[tuple[Text, Text]] = []
        self.reference: Scores = {}
        self.reference_held: Scores = {}

    def run(self) -> Outcome:
        """Tries edits until ideas or budget run out, then reports by fresh runs."""
        self._measure_reference()
        while self._affords(len(self.selection)):
            candidate = self.world.propose(self.best, self.selection)
            if candidate is None:
                break
            if self._selected(candidate) and self._confirmed(candidate):
                self.kept.append((self.best, candidate))
                self.keeps += 1
                self.best, self.reference_held = candidate, {}
                if not self._affords(len(self.selection) * self.setting.reference_runs):
                    break
                self._measure_reference()
        return self._report()

    def _affords(self, calls: int) -> bool:
        return self.world.affords(calls + self.reserve)

    def _score(self, text: Text, cases: Indices, runs: int) -> Scores:
        return as_runs(cases, self.world.score(text, cases, runs))

    def _measure_reference(self) -> None:
        self.reference = self._score(self.best, self.selection, self.setting.reference_runs)
        self.noise = self.noise.with_runs(self.reference)

    def _selected(self, candidate: Text) -> bool:
        names = [str(case) for case in self.selection]
        waiting = self.world.rng.permutation(self.selection)
        first = self.setting.first if len(names) > self.setting.first else len(names)
        batches, seen = [waiting[:first], waiting[first:]], Scores()
        pool, following = self.noise, "add_sample"
        while following == "add_sample":
            cases = batches.pop(0) if batches and len(batches[0]) else self.selection
            if not self._affords(len(cases)):
                break
            for name, scores in self._score(candidate, cases, 1).items():
                seen[name] = [*seen.get(name, []), *scores]
            found = decide_selection(
                self.reference, seen, pool.with_runs(seen), self.setting, cases=names, total_cases=len(self.world.order)
            )
            following = found.next_measurement
            if found.tau:
                pool, batches = pool.with_sweep(found.tau), []
        self.noise = pool.with_runs(seen)
        return following == "confirm"

    def _confirmed(self, candidate: Text) -> bool:
        names, setting = [str(case) for case in self.held_out], self.setting
        sides = 1 if self.reference_held else 2
        if not self._affords(len(names) * setting.holdout_runs * sides):
            return False
        self.looks += 1
        if not self.reference_held:
            self.reference_held = self._score(self.best, self.held_out, setting.holdout_runs)
            self.noise = self.noise.with_runs(self.reference_held)
        seen: Scores = {name: [] for name in names}
        decision, pool = "promising", self.noise
        while decision == "promising":
            for name, scores in self._score(candidate, self.held_out, setting.confirm_runs).items():
                seen[name] += scores
            pool = self.noise.with_runs(seen)
            decision = decide_holdout(
                self.reference_held,
                seen,
                pool,
                setting,
                cases=names,
                look=self.looks,
                keeps=self.keeps,
                total_cases=len(self.world.order),
            ).decision
        self.noise = pool
        return decision == "keep"

    def _report(self) -> Outcome:
        if not self.kept:
            return Outcome(self.best, (), 0.0)
        runs = self.setting.holdout_runs
        before = self._score(self.world.original, self.held_out, runs)
        after = self._score(self.best, self.held_out, runs)
        gain = final_gain(before, after, self.noise, self.setting)
        return Outcome(self.best, tuple(self.kept), gain.mean, (gain.low, gain.high))


def as_runs(cases: Indices, scores: Floats) -> Scores:
    """Scores by case id."""
    return {str(case): [float(score) for score in row] for case, row in zip(cases, scores, strict=True)}


def evidence_low(world: World) -> Outcome:
    """The ladder at caution low."""
    return EvidenceRun(world, "low").run()


def evidence_normal(world: World) -> Outcome:
    """The ladder as it is by default."""
    return EvidenceRun(world, "normal").run()


def evidence_high(world: World) -> Outcome:
    """The ladder at caution high."""
    return EvidenceRun(world, "high").run()
