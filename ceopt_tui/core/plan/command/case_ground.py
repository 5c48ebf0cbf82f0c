"""What a comparison by cases stands on besides its samples: evidence rules, pools of the run, its look. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.plan.command.case_runs import repeat_noise
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.run import RunState
from schemas.command_records import Pairing
from schemas.records import Looked


@dataclass(frozen=True)
class CaseGround:
    """`before` is the noise without this comparison's own first sweep, `noise` with it, once that is decided."""

    setting: Setting
    noise: Noise
    before: Noise
    look: Looked | None
    claims: str
    reserves: bool  # a part of the held-out cases is kept for the report

    def payload(self, sweeps: int) -> dict[str, Any]:
        """The part of a payload of `decide`; a single sweep is added by `decide` itself."""
        pool = self.before if sweeps == 1 else self.noise
        return {
            "sigma": {"ss": pool.sigma_ss, "df": pool.sigma_df},
            "tau": {"ss": pool.tau_ss, "df": pool.tau_df, "c": pool.tau_c},
            "deterministic": self.setting.deterministic,
            "looking": self.look is not None,
            "looks": self.look.look if self.look else 1,
            "keeps": self.look.keeps if self.look else 0,
        }


def ground_of(state: RunState, terms: CommandTerms, number: int, pairing: Pairing) -> CaseGround | None:
    """The ground of one experiment's comparison; None where cases do not decide."""
    if terms.cases is None:
        return None
    return CaseGround(
        setting=terms.setting(deterministic=state.deterministic),
        noise=pooled_noise(state, terms),
        before=pooled_noise(state, terms, without=(number, pairing)),
        look=look_of(state, terms, number, pairing),
        claims=state.experiments[number].hypothesis.claims,
        reserves=state.baseline is not None and state.baseline.deterministic,
    )


def pooled_noise(state: RunState, terms: CommandTerms, without: tuple[int, Pairing] | None = None) -> Noise:
    """The noise of the whole run; `without` leaves the first sweep of one comparison out."""
    noise = repeat_noise(state.commands, maximize=terms.maximize)
    for experiment in state.experiments.values():
        for decided in experiment.decisions:
            if decided.tau and (decided.number, decided.pairing) != without:
                noise = noise.with_sweep(decided.tau)
    return noise


def look_of(state: RunState, terms: CommandTerms, number: int, pairing: Pairing) -> Looked | None:
    """The look that this comparison was granted. A change that is put on top of others has one of its own there."""
    spent_alone = int(pairing == "integrated" and looked_alone(state, terms, number))
    looks = [look for look in state.looks if look.number == number][spent_alone:]
    return looks[-1] if looks else None


def looked_alone(state: RunState, terms: CommandTerms, number: int) -> bool:
    """Has this experiment's change been compared on held-out work by itself already?"""
    held_out = {"holdout", "confirm"} if terms.cases else {"holdout"}
    return any(one.step in held_out and one.pairing != "integrated" for one in state.experiments[number].decisions)
