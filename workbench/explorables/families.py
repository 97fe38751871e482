"""The explorable *From TV to ε*, and its page: what a total variation says, by family."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import plain, round_safely
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import CheckedQuestion
from workbench.figures.kit.axes import axis, delta_axis, positive
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import RIGHT, Share, Style, label, line, markers, rule
from workbench.pages.core.page import Control, Fact, Page, Section, figure, number
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import family_named

#: The known sampling probability of the subsampled Gaussian.
RATE = 0.5

#: The family whose members have the least ε of all mechanisms with their TV.
ANY = "randomized-response"

STYLES: Mapping[str, Style] = {
    "gaussian": Style("Gaussian", "p"),
    "subsampled-gaussian": Style("subsampled Gaussian, q = ½", "q", "dash"),
    "laplace": Style("Laplace", "fit", "dashdot"),
    ANY: Style("any mechanism, at least", "good"),
}
HERE = Style("", "muted", "dash", 1)
CHOSEN = Style("chosen", "ink")

#: TVs of the curves, and how far the charts reach.
GRID = np.round(np.linspace(0.01, 0.97, 49), 6)
MOST, REACH, LEAST = 16.0, 10.0, -10.0


def _family(name: str, delta: float) -> Family:
    return family_named(name, delta=delta, q=RATE if name == "subsampled-gaussian" else None)


@cache
def epsilon_of(name: str, tv: float, delta: float) -> float:
    """ε of the member of a family with this total variation; infinite if it has none.

    Parameters
    ----------
    name : str
        A key of `STYLES`. Of randomized response it is the least ε of all mechanisms, by
        TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1).
    tv, delta : float
    """
    family = _family(name, delta)
    return family.epsilon(family.parameter_of_bit_error((1 - tv) / 2), delta)


@cache
def pair_of(name: str, tv: float, delta: float) -> Pair | None:
    """The member of a family with this total variation; None if it has none."""
    family = _family(name, delta)
    parameter = family.parameter_of_bit_error((1 - tv) / 2)
    return family.pair(parameter) if math.isfinite(parameter) else None


class FromTVPage(Page):
    """ε at δ of a total variation, for each family and for any mechanism."""

    title = "From TV to ε"
    about = "Which ε follows from a total variation, and what must be assumed for it?"
    main: ClassVar[tuple[str, ...]] = ("tv",)
    controls: ClassVar[tuple[Section, ...]] = (
        Section("Leak", (Control("tv"), Control("log_delta"))),
    )

    tv = param.Number(
        0.2,
        bounds=(0.01, 0.97),
        step=0.01,
        label="Total variation",
        doc="Advantage TPR − FPR of the best attacker.",
    )
    log_delta = LogNumber(-5.0, bounds=(-8, -2), step=1, label="δ")

    @property
    def delta(self) -> float:
        """The δ of the slider."""
        return number_of(self.log_delta)

    @number(
        "Any mechanism",
        needs=("tv", "log_delta"),
        formula="TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1), solved for ε.",
        main=True,
    )
    def anything(self) -> Fact:
        """The least ε that a mechanism with this TV can have. There is no upper limit."""
        found = round_safely(epsilon_of(ANY, self.tv, self.delta), "down")
        return Fact(f"ε ≥ {found}", "proven for every mechanism with this TV")

    @number("Gaussian", needs=("tv", "log_delta"), formula="TV = 2Φ(μ/2) − 1, solved for μ.")
    def gaussian(self) -> Fact:
        """ε of the Gaussian pair with this TV."""
        return self._if("gaussian", "exact, if the pair is Gaussian")

    @number("Subsampled Gaussian", needs=("tv", "log_delta"))
    def subsampled(self) -> Fact:
        """ε of the subsampled Gaussian pair with q = ½ and this TV, which is at most ½."""
        said = f"exact, if the pair is a subsampled Gaussian, q = {RATE:g}"
        return self._if("subsampled-gaussian", said)

    @number("Laplace", needs=("tv", "log_delta"))
    def laplace(self) -> Fact:
        """ε of the Laplace pair with this TV."""
        return self._if("laplace", "exact, if the pair is Laplace")

    def _if(self, name: str, said: str) -> Fact:
        found = epsilon_of(name, self.tv, self.delta)
        if math.isinf(found):
            return Fact("–", "no member of this family has so large a TV")
        return Fact(f"ε = {round_safely(found, 'nearest')}", said)

    @figure("ε of each family", needs=("tv", "log_delta"), drag={"tv": "tv"})
    def curves(self) -> dict[str, Any]:
        """ε at the chosen δ, against the total variation. Drag the line to move it."""
        here = {name: epsilon_of(name, self.tv, self.delta) for name in STYLES}
        drawn = {
            name: np.array([epsilon_of(name, tv, self.delta) for tv in GRID.tolist()])
            for name in STYLES
        }
        known = {name: y for name, y in here.items() if math.isfinite(y)}
        parts = "; ".join(f"{STYLES[n].name} {round_safely(y, 'down')}" for n, y in known.items())
        return chart(
            [
                *(line(STYLES[n], GRID, np.where(y <= MOST, y, np.nan)) for n, y in drawn.items()),
                *(markers(STYLES[n], [self.tv], [y]) for n, y in known.items() if y <= MOST),
                rule(CHOSEN, x=self.tv, end=Share(0.7), drag="tv"),
                key(list(STYLES.values())),
            ],
            axis("total variation", 0, 1),
            axis("ε", 0, MOST / 0.7),
            summary=f"At TV = {self.tv:g} and δ = {plain(self.delta)}, ε: {parts}.",
            closest=True,
        )

    @figure("Privacy profiles with this TV", needs=("tv", "log_delta"))
    def profiles(self) -> dict[str, Any]:
        """δ as a function of ε. All curves begin at δ(0), the TV. Dot: no ε is below it."""
        epsilon = np.linspace(0, REACH, 81)
        marks, styles = [], []
        for name, style in STYLES.items():
            if name == ANY:
                continue
            pair = pair_of(name, self.tv, self.delta)
            if pair is not None:
                y = np.asarray(pair.profile(epsilon))
                marks.append(line(style, epsilon, positive(np.where(y >= 10**LEAST, y, 0.0))))
                styles.append(style)
        return chart(
            [
                *marks,
                markers(STYLES[ANY], [epsilon_of(ANY, self.tv, self.delta)], [self.delta]),
                key([*styles, STYLES[ANY]]),
                rule(HERE, y=self.delta),
                label(RIGHT, self.delta, f"δ = {plain(self.delta)}", "muted", ha="right", va="top"),
            ],
            axis("ε", 0, REACH),
            delta_axis(LEAST),
            summary=f"Privacy profiles of {len(styles)} mechanisms with TV = {self.tv:g}; they "
            "agree at ε = 0 and part for larger ε.",
            closest=True,
        )


FROM_TV = Explorable(
    about=(
        "The total variation (TV) is the advantage of the best attacker: true positive rate minus "
        "false positive rate. It is measured well, because both rates are far from 0. ε at a small "
        "δ is about rare events, which few scores show.",
        "If the mechanism belongs to a family with one unknown parameter, the TV determines the "
        "parameter, and so the whole privacy profile. Without a family it says little: every "
        "mechanism with this TV has at least a certain ε, and some have ε = ∞. Sampling error is "
        "left out here: the TV is taken as known.",
    ),
    make=FromTVPage,
    items=("anything", "gaussian", "subsampled", "laplace", "curves", "profiles"),
    moves={
        "tv": (0.01, 0.03, *(round(0.05 * k, 2) for k in range(1, 20)), 0.97),
        "log_delta": (-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0),
    },
    tries=(
        "Drag the upright line in the left chart. At the same TV, the families have very different "
        "ε.",
        "Make δ smaller. ε of the Gaussian families grows; that of the Laplace pair, whose privacy "
        "loss is bounded, soon does not.",
        "Move the TV above ½. No subsampled Gaussian with q = ½ has so much: such a TV refutes the "
        "family.",
    ),
    questions=(
        CheckedQuestion(
            "A Gaussian pair has TV = 0.2. What is its ε at δ = 1e-5? To two digits after the "
            "point.",
            lambda: float(epsilon_of("gaussian", 0.2, 1e-5)),
            "μ = 2Φ⁻¹(0.6) = 0.507, and the profile of that pair gives ε.",
            within=0.01,
            mistakes={"this is what holds for any mechanism.": lambda: epsilon_of(ANY, 0.2, 1e-5)},
        ),
        CheckedQuestion(
            "You know TV = 0.2 and nothing else. Which ε may you report as a lower bound at "
            "δ = 1e-5? To two digits after the point.",
            lambda: epsilon_of(ANY, 0.2, 1e-5),
            "Every mechanism with this TV has at least this ε, and some have no more.",
            within=0.006,
            mistakes={
                "this holds if the pair is Gaussian, which you do not know.": lambda: float(
                    epsilon_of("gaussian", 0.2, 1e-5)
                )
            },
        ),
        CheckedQuestion(
            "Which of these is the same for all mechanisms with TV = 0.2?",
            lambda: "b",
            "The TV is δ at ε = 0; elsewhere the profiles part.",
            choices=("ε at δ = 1e-5", "δ at ε = 0", "μ"),
            mistakes={"only a Gaussian pair has its μ from the TV.": lambda: "c"},
        ),
    ),
    page="family",
    notebook="06",
)
