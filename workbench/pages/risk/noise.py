"""`RiskNoise`: the noise that keeps the success of an attacker below what is wished."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench._format import round_safely
from workbench.pages.core.page import Control, Fact, Section, derived, number
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber
from workbench.pages.inputs.claims.stated import CLAIM
from workbench.pairs.calibration import (
    gaussian_sigma_for,
    laplace_scale_for,
    noise_multiplier_for,
)

#: What the noise rests on.
WISHED = ("log_wished", "log_one_in", "group")

#: Digits of a noise, which is rounded up.
DIGITS = 4


class RiskNoise(Part):
    """How often the attacker may be right, and the noise that sees to it."""

    log_wished = LogNumber(
        1.0,
        bounds=(0.02, 9),
        softbounds=(0.02, 6),
        step=0.05,
        label="Keep it below 1 in",
        doc="How often the attacker may be right with the release, at the same chance without it. "
        "The noise is computed from that.",
    )

    section: ClassVar[Section] = Section("From a risk to a noise", (Control("log_wished"),))

    @derived(needs=WISHED)
    def wished(self) -> dict[str, Any] | None:
        """The target of the noise; None where guessing alone exceeds it."""
        risk, baseline = 10.0**-self.log_wished, self.page.asking.baseline
        group = self.page.group
        return {"risk": risk, "baseline": baseline, "group": group} if risk > baseline else None

    @number(
        "Gaussian noise for that",
        needs=("wished",),
        formula="σ = k / (Φ⁻¹(risk) − Φ⁻¹(κ)) for k records, in units of the sensitivity.",
        caution="For one release of a value that a record changes by at most the sensitivity.",
    )
    def gaussian_noise(self) -> Fact:
        """The smallest standard deviation that keeps the success below what is wished."""
        wished = self.wished()
        if wished is None:
            return GUESSED
        return Fact(_noise("σ", gaussian_sigma_for(**wished)), "times the sensitivity")

    @number(
        "Laplace noise for that",
        needs=("wished",),
        formula="The scale b at which 1 − f(κ) of Laplace noise is the risk, in units of the "
        "sensitivity.",
        caution="For one release of a value that a record changes by at most the sensitivity.",
    )
    def laplace_noise(self) -> Fact:
        """The smallest scale that keeps the success below what is wished."""
        wished = self.wished()
        if wished is None:
            return GUESSED
        return Fact(_noise("b", laplace_scale_for(**wished)), "times the sensitivity")

    @number(
        "Noise multiplier for that",
        needs=("wished", *CLAIM),
        formula="The smallest σ at which 1 − f(κ) of the accountant’s pair is at most the risk.",
        caution="For the sampling rate and the steps of the claim.",
        slow=True,
    )
    def dpsgd_noise(self) -> Fact:
        """The smallest noise multiplier of DP-SGD that keeps the success below what is wished."""
        page, wished = self.page, self.wished()
        if page.claim_kind != "dpsgd":
            return Fact("", "needs DP-SGD as the claim")
        if wished is None:
            return GUESSED
        training = (None, None, page.claim_rate, page.claim_steps, page.claim_relation)
        try:
            found = noise_multiplier_for(*training, **wished)
        except ValueError:
            return Fact("–", "no noise multiplier reaches it with so many steps")
        return Fact(_noise("σ", found), "of DP-SGD, with the rate and the steps of the claim")


GUESSED = Fact("–", "guessing alone is right more often")


def _noise(symbol: str, value: float) -> str:
    return f"{symbol} = {round_safely(value, 'up', DIGITS)}"
