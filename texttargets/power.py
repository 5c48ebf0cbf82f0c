"""Says in one sentence which gains an eval set can see, before anything is measured."""

from __future__ import annotations

from ceopt_tui.core.evidence.floor import Floor, aa_floor
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.figures import counted, percent

# Until the baseline has been repeated: one case in five changes its result when it is run again (2·σ² = 0.2).
ASSUMED_CHANGES = 0.2
_PASS_FAIL = Setting(span=1.0)


def expected_floor(held_out: int) -> Floor | None:
    """The gains in pass rate a set with this many distinct held-out cases sees; None when it has none."""
    if held_out < 1:
        return None
    return aa_floor(Noise(sigma_ss=ASSUMED_CHANGES / 2, sigma_df=1), _PASS_FAIL, held_out)


def power_sentence(held_out: int) -> str:
    """What a user should expect of the set, with the assumption behind it."""
    floor = expected_floor(held_out)
    if floor is None:
        return "With no held-out cases this set cannot confirm any gain."
    cases = counted(held_out, "distinct held-out case")
    assumed = "Assumed until the baseline is measured: one case in five changes its result when it is run again."
    if floor.sees_half >= 1:
        return f"With {cases} this set cannot tell any gain from noise."
    if percent(floor.sees_half) == percent(floor.sees_most):  # two cases, because a pass rate moves in whole ones
        return f"With {cases} this set sees gains from {percent(floor.sees_half)} of all cases on. {assumed}"
    most = "hardly any reliably"
    if floor.sees_most < 1:
        most = f"gains above {percent(floor.sees_most)} four times in five"
    return (
        f"With {cases} this set can only see gains above {percent(floor.sees_half)} of all cases "
        f"(about half the time; {most}). {assumed}"
    )
