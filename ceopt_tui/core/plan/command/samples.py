"""Which samples a comparison lacks, and what `decide` makes of those it has. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.decide import decide
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import CommandSample, JudgeCommand, MeasureCommand
from ceopt_tui.core.plan.command.case_ground import CaseGround
from ceopt_tui.core.plan.command.case_runs import confirming_cases, scored_cases, usable, with_cases
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.commands import CommandState, Place
from schemas.command_records import Arm, CommandMeasured, CommandStep, Pairing, Workload
from schemas.records import Compared, Decided

ARMS: tuple[Arm, Arm] = ("reference", "candidate")


@dataclass(frozen=True)
class Comparison:
    """A change, as `commit`, held against the commit it grew from: alone, on top of others, or by somebody else."""

    state: CommandState
    terms: CommandTerms
    number: int
    reference: str
    commit: str
    pairing: Pairing
    ground: CaseGround | None = None  # where cases decide

    @property
    def side_by_side(self) -> bool:
        """Does every sample of the change have one of the reference beside it? Two machines always need that."""
        return self.terms.paired or self.terms.remote

    def place(self, arm: Arm, workload: Workload = "selection") -> Place:
        """Where the samples of one side stand."""
        if arm == "candidate":
            return Place(self.commit, self.number, self.pairing, workload, arm)
        if self.side_by_side:
            return Place(self.reference, self.number, self.pairing, workload, arm)
        return Place(self.reference, None, "own", workload, arm)

    @property
    def count(self) -> int:
        """Samples of the change so far."""
        return len(self.state.taken(self.place("candidate")))

    def failure(self, workload: Workload = "selection") -> CommandMeasured | None:
        """The first sample of either side that gave no numbers."""
        found = (self.state.failure(self.place(arm, workload)) for arm in ARMS)
        return next((sample for sample in found if sample), None)

    def smoke(self) -> MeasureCommand | None:
        """The smoke run, where one is due."""
        place = self.place("candidate", "smoke")
        if not self.terms.smoke or self.state.taken(place):
            return None
        return MeasureCommand((_sample(place, "smoke", 0),), f"exp-{self.number:03d} smoke")

    def lacking(self, wanted: int, step: CommandStep) -> MeasureCommand | JudgeCommand | None:
        """What is due until both sides have `wanted` samples, outputs judged."""
        return self._lacking(wanted, step, "selection") or self._unjudged("selection")

    def held_out(self, rung: str) -> MeasureCommand | JudgeCommand | None:
        """What is due of the held-out comparison: the full protocol, or one rung of it where cases decide."""
        if self.terms.second_sample:
            return self._judged_again()
        if self.ground:
            setting, confirms = self.ground.setting, rung == "confirm"
            wanted = setting.confirm_runs if confirms else setting.holdout_runs
            return self._lacking(wanted, "confirm" if confirms else "holdout", "holdout")
        return self._lacking(self.terms.repeats, "holdout", "holdout") or self._unjudged("holdout")

    def verdict(self, *, held_out: bool = False) -> dict[str, Any]:
        """What `decide` says of the samples there are."""
        pair = {"baseline": self._snapshot("reference"), "candidate": self._snapshot("candidate")}
        payload: dict[str, Any] = {"spec": self.terms.spec, **pair}
        if held_out:
            sides = {arm: self._snapshot(arm, "holdout") for arm in ARMS}
            payload["holdout"] = {"baseline": sides["reference"], "candidate": sides["candidate"]}
        if self.ground:
            payload |= {"evidence": self.ground.payload(self.count), "claims": self.ground.claims}
        return decide(payload)

    def decided(self, step: CommandStep, verdict: Mapping[str, Any]) -> tuple[Compared | Decided, ...]:
        """The records of a verdict; the pairing behind one that ends a stage goes on record first."""
        evidence = self._evidence(step, verdict)
        hopeless = all(one["verdict"] == "regressed" for one in verdict["comparisons"].values())
        record = Decided(
            number=self.number,
            step=evidence.get("step", step) if self._looks(step) else step,  # one run that repeats is all of a look
            decision=verdict["decision"],
            next_measurement=verdict["next_measurement"],
            reason=verdict["reason"],
            numbers={
                "samples": self.count,
                "primary_delta": verdict["primary_delta"],
                "rank_score": verdict["rank_score"],
                "target_reached": int(verdict["target_reached"]),
                "hopeless": int(hopeless and bool(verdict["comparisons"])),
                **_numbers_of(evidence),
            },
            tau=tuple(evidence["tau"]) if evidence.get("tau") else None,
            pairing=self.pairing,
        )
        ends = {"none", "holdout"} if self.ground is None else {"none"} if self._looks(step) else {"none", "confirm"}
        return (self._compared(step, evidence), record) if verdict["next_measurement"] in ends else (record,)

    def _looks(self, step: CommandStep) -> bool:
        """Does this step look at held-out work?"""
        return step == "holdout" or (step == "confirm" and self.ground is not None)

    def _evidence(self, step: CommandStep, verdict: Mapping[str, Any]) -> Mapping[str, Any]:
        """The numbers of the stage that a verdict is about; none where no case was compared, or cases do not decide."""
        found: Mapping[str, Any] = (
            (verdict.get("holdout" if self._looks(step) else "evidence") or {}) if self.ground else {}
        )
        return found if "z" in found else {}

    def _compared(self, step: CommandStep, evidence: Mapping[str, Any]) -> Compared:
        workload: Workload = "holdout" if self._looks(step) else "selection"
        samples = self.state.taken(self.place("candidate", workload))
        return Compared(
            number=self.number,
            comparison="holdout"
            if workload == "holdout"
            else "integrated"
            if self.pairing == "integrated"
            else "standalone",
            reference_digest=self.reference,
            candidate_digest=self.commit,
            workload=workload,
            reference=_numbers(self._snapshot("reference", workload)),
            candidate=_numbers(self._snapshot("candidate", workload)),
            uncertainty={name: evidence[name] for name in ("se", "z", "p") if name in evidence},
            correctness=f"{counted(len(samples), 'sample')} of the change",
            machine=samples[-1].machine if samples else "",
            measured_by=samples[-1].measured_by if samples else "ceopt",
        )

    def _snapshot(self, arm: Arm, workload: Workload = "selection") -> dict[str, Any]:
        again = workload == "holdout" and self.terms.second_sample
        snapshot = self.state.snapshot(self.place(arm, workload), "selection" if again else None)
        if self.ground is None:
            return snapshot
        if self.pairing != "standalone":
            snapshot["smoke_passed"] = True  # it passed alone
        sides = {one: usable(self.state, self.place(one, workload)) for one in ARMS}
        cases = scored_cases((*sides["reference"], *sides["candidate"]), maximize=self.terms.maximize)
        if workload == "holdout" and self.ground.reserves:
            cases = confirming_cases(cases)
        return with_cases(snapshot, sides[arm], cases, maximize=self.terms.maximize)

    def _lacking(self, wanted: int, step: CommandStep, workload: Workload) -> MeasureCommand | None:
        """Both sides take turns at going first, so that a machine that slows down harms neither."""
        title = f"exp-{self.number:03d} {step.replace('_', ' ')}"
        have = {arm: len(self.state.taken(self.place(arm, workload))) for arm in ARMS}
        if not self.side_by_side:
            own, candidate = self.place("reference", workload), self.place("candidate", workload)
            owed = self.ground.setting.reference_runs if self.ground else self.terms.repeats
            due = [_sample(own, "reference", at) for at in range(have["reference"], owed)]
            due += [_sample(candidate, step, at) for at in range(have["candidate"], wanted)]
            return MeasureCommand(tuple(due), title) if due else None
        due = []
        for at in range(min(have.values()), wanted):
            order = ARMS if at % 2 == 0 else ARMS[::-1]
            due += [_sample(self.place(arm, workload), step, at) for arm in order if at >= have[arm]]
        return MeasureCommand(tuple(due), title) if due else None

    def _unjudged(self, workload: Workload) -> JudgeCommand | None:
        """Outputs of samples that pass the gates go to the judge; others are not worth its price."""
        if not self.terms.judged:
            return None
        for arm in ARMS:
            place = self.place(arm, workload)
            sample = self.state.awaiting_judge(place)
            if sample and (arm == "reference" or self.verdict()["decision"] != "degenerate"):
                return JudgeCommand(_sample(place, sample.step, sample.sample))
        return None

    def _judged_again(self) -> JudgeCommand | None:
        for arm in ARMS:
            place = self.place(arm, "holdout")
            for sample in self.state.taken(place.on("selection")):
                if (place, sample.sample) not in self.state.judged:
                    return JudgeCommand(_sample(place, "holdout", sample.sample))
        return None


def _sample(place: Place, step: CommandStep, number: int) -> CommandSample:
    return CommandSample(
        commit=place.commit,
        step=step,
        pairing=place.pairing,
        arm=place.arm,
        sample=number,
        workload=place.workload,
        experiment=place.experiment,
    )


EVIDENCE_NUMBERS = ("n", "mean_difference", "se", "z", "p", "level", "signflip_p", "sigma2", "tau2")


def _numbers_of(evidence: Mapping[str, Any]) -> dict[str, float | int | None]:
    """The numbers behind a verdict by cases, under the names they have for texts."""
    if not evidence:
        return {}
    counts = {"lost": len(evidence["lost"]), "tentative": int(evidence["tentative"])}
    return {name: evidence[name] for name in EVIDENCE_NUMBERS} | counts


def _numbers(snapshot: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Samples by metric, those of the judge among them; what is no number is left out."""
    found = {}
    for name, entry in {**snapshot["metrics"], **snapshot["judge"]}.items():
        values = [value for value in entry["samples"] if isinstance(value, int | float)]
        if values:
            found[name] = tuple(float(value) for value in values)
    return found
