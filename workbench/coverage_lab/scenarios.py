"""Distributions of scores with a known truth, on which methods are tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from workbench.bounds.bound import Bound
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.scores.chance import spawned_seed
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

Draw = Callable[[int, int, np.random.Generator], Scores]

#: Rows that each run contributes where rows are not independent.
ROWS_PER_RUN = 20

#: The share of their variance that rows of one run have in common.
SHARED_VARIANCE = 0.8

#: The true μ ignores error rates below this one, which no sample is large enough to show.
MU_FLOOR = 1e-12


@dataclass(frozen=True)
class Scenario:
    """A distribution of scores and its true privacy loss.

    Attributes
    ----------
    name, label, about : str
        Key, title, and a line of help.
    truth : Pair or TradeoffCurve
        Of the pair that the scores come from.
    draw : callable
        (n_p, n_q, generator) -> Scores with n_p and n_q rows, in order of arrival.
    threshold : float
        A threshold fixed in advance, before any data are drawn.
    reach : (float, float)
        A range for bins, fixed in advance as well.
    independent : bool
        Whether rows are independent, which bounds assume unless they state otherwise.
    families : tuple of str
        Families of which the pair is a member.
    """

    name: str
    label: str
    about: str
    truth: Any
    draw: Draw
    threshold: float = 0.5
    reach: tuple[float, float] = (-4.0, 5.0)
    independent: bool = True
    families: tuple[str, ...] = ()

    def true_value(self, bound: Bound) -> float:
        """True value of the quantity that a bound is on.

        Raises
        ------
        ValueError
            A quantity whose truth is not known here.
        """
        if bound.quantity == "epsilon":
            return float(self.truth.epsilon(bound.delta))
        if bound.quantity == "mu":
            return float(self.truth.gdp_mu(floor=MU_FLOOR))
        if bound.quantity == "total variation":
            return float(self.truth.total_variation)
        if bound.quantity == "delta":
            return float(self.truth.profile(bound.epsilon))
        if bound.quantity == "tpr":
            return 1 - float(self.truth.tradeoff(bound.fpr, symmetric=False))
        raise ValueError(f"the truth of {bound.quantity!r} is not known here")


def scenario_of(pair: str | Pair | Scenario) -> Scenario:
    """A scenario by its name, or made from a pair.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    if isinstance(pair, Scenario):
        return pair
    if isinstance(pair, Pair):
        return _of_pair(pair.name, pair.name, "", pair)
    if pair not in SCENARIOS:
        raise ValueError(f"pair must be a Pair or one of {', '.join(SCENARIOS)}; got {pair!r}")
    return SCENARIOS[pair]


def coverage_scenarios() -> pd.DataFrame:
    """DataFrame of the scenarios that `wb.coverage` knows, one row each."""
    import pandas as pd

    shown = ("name", "label", "about", "independent")
    return pd.DataFrame([{key: getattr(s, key) for key in shown} for s in SCENARIOS.values()])


def _of_pair(name: str, label: str, about: str, pair: Pair, **more: Any) -> Scenario:
    def draw(n_p: int, n_q: int, rng: np.random.Generator) -> Scores:
        return pair.sample((n_p, n_q), seed=rng)

    if isinstance(pair, GaussianPair):
        more.setdefault("families", ("Gaussian",))
    return Scenario(name, label, about, pair, draw, **more)


# -- pairs without a class --------------------------------------------------------------------

#: Thresholds t of the symmetric tests |x| > t, far into both tails.
_CUTS = np.concatenate([np.linspace(0, 12, 24_001), [np.inf]])


def _both_tails(p_within: Callable[[Floats], Floats], q_within: Callable[[Floats], Floats]) -> Any:
    """The curve of the tests |x| > t, which are optimal where the ratio grows with |x|."""
    return TradeoffCurve.hull(1 - q_within(_CUTS), p_within(_CUTS))


def _drawn(p: Callable[..., Floats], q: Callable[..., Floats]) -> Draw:
    def draw(n_p: int, n_q: int, rng: np.random.Generator) -> Scores:
        drawn = p(rng, n_p), q(rng, n_q)
        return Scores(*drawn, True, "independent runs", seed=spawned_seed(rng))

    return draw


def _normal_within(scale: float = 1.0, at: float = 0.0) -> Callable[[Floats], Floats]:
    return lambda t: ndtr((t - at) / scale) - ndtr((-t - at) / scale)


def _unequal_variances() -> Scenario:
    return Scenario(
        "unequal-variances",
        "Unequal variances",
        "N(0, 1.5²) against N(0, 1): members score high or low, so a threshold misses most.",
        _both_tails(_normal_within(1.5), _normal_within()),
        _drawn(lambda rng, n: rng.normal(0, 1.5, n), lambda rng, n: rng.normal(0, 1, n)),
        threshold=1.5,
    )


def _bimodal(at: float = 2.0) -> Scenario:
    return Scenario(
        "bimodal",
        "Bimodal",
        "Members at −2 or at 2, non-members at 0, all with unit noise.",
        _both_tails(_normal_within(at=at), _normal_within()),
        _drawn(
            lambda rng, n: rng.normal(at * rng.choice([-1, 1], n), 1),
            lambda rng, n: rng.normal(0, 1, n),
        ),
        threshold=1.0,
    )


def _heavy_tails(shift: float = 1.0) -> Scenario:
    """Cauchy against a shifted one; the optimal tests reject within intervals."""
    # {p > a q} is where (1 − a)x² + 2·a·m·x + 1 − a(1 + m²) > 0 has the right sign.
    low, high = cauchy_ratio_range(shift)
    a = np.exp(np.linspace(np.log(low), np.log(high), 40_001)[1:-1])
    root = np.sqrt((shift * a) ** 2 - (1 - a) * (1 - a * (1 + shift**2)))
    with np.errstate(divide="ignore", invalid="ignore"):
        x1, x2 = (-a * shift - root) / (1 - a), (-a * shift + root) / (1 - a)
    left, right = np.fmin(x1, x2), np.fmax(x1, x2)

    def mass(at: float) -> Floats:
        inside = (np.arctan(right - at) - np.arctan(left - at)) / np.pi
        return np.where(a > 1, inside, 1 - inside)

    usable = np.abs(1 - a) > 1e-9
    curve = TradeoffCurve.hull(mass(0)[usable], 1 - mass(shift)[usable])
    return Scenario(
        "heavy-tails",
        "Heavy tails",
        "Cauchy at 1 against Cauchy at 0: the density ratio rises and then falls.",
        curve,
        _drawn(
            lambda rng, n: rng.standard_cauchy(n) + shift,
            lambda rng, n: rng.standard_cauchy(n),
        ),
    )


def cauchy_ratio_range(shift: float) -> tuple[float, float]:
    """Least and largest ratio of the densities of two Cauchy distributions."""
    half = (shift**2 + 2 + shift * np.sqrt(shift**2 + 4)) / 2
    return 1 / half, half


def _ties(step: float = 0.5, shift: float = 1.0) -> Scenario:
    cuts = np.arange(-40, 40) * step

    def drawn(rng: np.random.Generator, n: int, at: float) -> Floats:
        return np.asarray(np.ceil(rng.normal(at, 1, n) / step) * step)

    return Scenario(
        "ties",
        "Ties",
        "Gaussian scores, μ = 1, rounded to halves.",
        TradeoffCurve.hull(ndtr(-cuts), ndtr(cuts - shift)),
        _drawn(lambda rng, n: drawn(rng, n, shift), lambda rng, n: drawn(rng, n, 0.0)),
    )


def _atom(share: float = 0.9, shift: float = 2.0) -> Scenario:
    """Most outcomes say nothing; the best tests accept them before or after all others."""
    cuts = np.linspace(shift / 2 - 12, shift / 2 + 12, 4001)
    rest, accepted = 1 - share, np.where(cuts < shift / 2, share, 0.0)

    def drawn(rng: np.random.Generator, n: int, at: float) -> Floats:
        return np.where(rng.random(n) < share, 0.0, rng.normal(at, 1, n))

    return Scenario(
        "atom",
        "One large atom",
        f"{share:.0%} of the scores are 0; the others are Gaussian, μ = {shift:g}.",
        TradeoffCurve.hull(
            rest * ndtr(-cuts) + accepted, rest * ndtr(cuts - shift) + share - accepted
        ),
        _drawn(lambda rng, n: drawn(rng, n, shift), lambda rng, n: drawn(rng, n, 0.0)),
        threshold=1.0,
    )


def _runs(rng: np.random.Generator, n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Rows with a component shared within each run, marginally N(0, 1), and the run of each row."""
    run = np.arange(n) // ROWS_PER_RUN
    shared = rng.normal(0, np.sqrt(SHARED_VARIANCE), run[-1] + 1)
    return shared[run] + rng.normal(0, np.sqrt(1 - SHARED_VARIANCE), n), run


def _clustered(name: str, label: str, about: str, reduced: bool) -> Scenario:
    def draw(n_p: int, n_q: int, rng: np.random.Generator) -> Scores:
        (p, runs_p), (q, runs_q) = _runs(rng, n_p), _runs(rng, n_q)
        clusters = (
            (np.char.add("p", runs_p.astype(str)), np.char.add("q", runs_q.astype(str)))
            if reduced
            else None
        )
        seed = spawned_seed(rng)
        return Scores(p, q, True, clusters=clusters, cluster_rule="first", seed=seed)

    return Scenario(name, label, about, GaussianPair(0.0), draw, independent=reduced)


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        _of_pair(
            "no-leak",
            "No leak",
            "P = Q = N(0, 1): every bound above 0 is a false claim.",
            GaussianPair(0.0),
        ),
        _of_pair("gaussian-0.5", "Gaussian, μ = 0.5", "A small leak.", GaussianPair(0.5)),
        _of_pair("gaussian-2", "Gaussian, μ = 2", "A large leak.", GaussianPair(2.0),
                 threshold=1.5),
        _of_pair("laplace", "Laplace, μ = 2",
                 "A trade-off curve with corners: any threshold in a tail reveals all of ε.",
                 LaplacePair(2.0), threshold=2.0),
        _of_pair(
            "subsampled-gaussian",
            "Subsampled Gaussian",
            "q = 0.25, σ = 0.3: one step of DP-SGD; the two directions differ.",
            SubsampledGaussianPair(0.25, 0.3),
            reach=(-1.0, 2.0),
        ),
        _of_pair(
            "randomized-response",
            "Randomized response",
            "ε = 2, δ = 1e-5: four outcomes, so scores are tied; one threshold reveals all.",
            RandomizedResponsePair(2.0, 1e-5),
            threshold=1.5,
        ),
        _of_pair(
            "strong-randomized-response",
            "Randomized response, ε = 3",
            "Two outcomes: all scores are tied, and one threshold reveals all.",
            RandomizedResponsePair(3.0, 0.0),
            threshold=0.5,
        ),
        _ties(),
        _atom(),
        _unequal_variances(),
        _bimodal(),
        _heavy_tails(),
        Scenario(
            "heavy-tails-no-leak",
            "Heavy tails, no leak",
            "P = Q, Cauchy: the scores of both groups spread over many orders of magnitude.",
            GaussianPair(0.0),
            _drawn(*[lambda rng, n: rng.standard_cauchy(n)] * 2),
        ),
        _clustered(
            "clustered-reduced",
            "Clustered rows, one per run",
            f"No leak; {ROWS_PER_RUN} rows share their run's noise and their label, and are "
            "reduced to one.",
            reduced=True,
        ),
        _clustered(
            "clustered-rows",
            "Clustered rows, taken as independent",
            f"No leak; {ROWS_PER_RUN} rows share their run's noise, which is not declared.",
            reduced=False,
        ),
    )
}  # fmt: skip
