"""DP Audit Workbench: what the scores of a privacy audit prove, and with which guarantee.

Load the scores of runs with the record (P) and without it (Q), and ask for bounds::

    import workbench as wb

    s = wb.example("subsampled-gaussian")
    wb.epsilon_lower_bound(s, delta=1e-5)

Names are imported on first use, so that ``import workbench`` costs little more than numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> the module that defines it. `_public.py` repeats it for type checkers.
_HOME = {
    "AnytimeAudit": "bounds.anytime",
    "AnytimePath": "bounds.anytime",
    "anytime_epsilon": "bounds.anytime",
    "anytime_mu": "bounds.anytime",
    "anytime_path": "bounds.anytime",
    "anytime_total_variation": "bounds.anytime",
    "EValue": "bounds.e_values",
    "anytime_e_value": "bounds.e_values",
    "average_e_values": "bounds.e_values",
    "e_benjamini_hochberg": "bounds.e_values",
    "multiply_e_values": "bounds.e_values",
    "BoundDistribution": "bounds.planning",
    "Power": "bounds.planning",
    "SampleSize": "bounds.planning",
    "plan_distribution": "bounds.planning",
    "power": "bounds.planning",
    "samples_needed": "bounds.planning",
    "Bound": "bounds.result",
    "TradeoffBand": "bounds.band",
    "Counts": "bounds.counts",
    "delta_from_counts": "bounds.from_counts",
    "epsilon_from_counts": "bounds.from_counts",
    "mu_from_counts": "bounds.from_counts",
    "precision_from_counts": "bounds.from_counts",
    "total_variation_from_counts": "bounds.from_counts",
    "tpr_from_counts": "bounds.from_counts",
    "posterior_mass": "bounds.posterior",
    "posterior_over_thresholds": "bounds.posterior",
    "posterior_parameter": "bounds.posterior",
    "epsilon_lower_bound": "bounds.lower",
    "hockey_stick_limits": "bounds.fixed_bins",
    "mu_lower_bound": "bounds.lower",
    "tradeoff_band": "bounds.band",
    "Ordering": "bounds.ordering",
    "learn_ordering": "bounds.ordering",
    "learn_ordering_nd": "bounds.ordering",
    "Detectable": "bounds.verdict",
    "Verdict": "bounds.verdict",
    "Witness": "bounds.verdict",
    "judge": "bounds.verdict",
    "Comparison": "bounds.compare",
    "compare": "bounds.compare",
    "Coverage": "coverage_lab.lab",
    "coverage": "coverage_lab.lab",
    "coverage_methods": "coverage_lab.methods",
    "coverage_settings": "coverage_lab.settings",
    "TradeoffCurve": "curves.tradeoff",
    "Domain": "mechanisms.base",
    "Mechanism": "mechanisms.base",
    "mechanism": "mechanisms.gallery",
    "mechanism_gallery": "mechanisms.gallery",
    "explore": "jupyter.explore",
    "explore_compare": "jupyter.explore",
    "explore_counts": "jupyter.explore",
    "explore_family": "jupyter.explore",
    "explore_mechanism": "jupyter.explore",
    "explore_one_run": "jupyter.explore",
    "explore_pair": "jupyter.explore",
    "explore_plan": "jupyter.explore",
    "explore_selection": "jupyter.explore",
    "explore_watch": "jupyter.explore",
    "Histogram": "estimators.histogram",
    "histogram": "estimators.histogram",
    "Roc": "estimators.roc",
    "roc": "estimators.roc",
    "gdp_fit": "bounds.gdp",
    "FamilyCheck": "bounds.parametric",
    "FamilyFit": "bounds.parametric",
    "family_check": "bounds.parametric",
    "family_fit": "bounds.parametric",
    "parametric_bound": "bounds.parametric",
    "ComposedBand": "bounds.composed",
    "ComposedHistogram": "bounds.composed",
    "compose_band": "bounds.composed",
    "compose_histogram": "bounds.composed",
    "ApproxDP": "claims",
    "GDP": "claims",
    "PureDP": "claims",
    "RenyiDP": "claims",
    "parse_claim": "claims",
    "AccountantError": "pairs.pld",
    "ComposedPair": "pairs.composed",
    "DPSGDPair": "pairs.dpsgd",
    "DiscreteGaussianPair": "pairs.discrete",
    "DiscreteLaplacePair": "pairs.discrete",
    "ProfileTablePair": "pairs.claimed",
    "RenyiPair": "pairs.claimed",
    "gaussian_mu_for": "pairs.calibrate",
    "gaussian_sigma_for": "pairs.calibrate",
    "noise_multiplier_for": "pairs.calibrate",
    "Guesses": "onerun.canaries",
    "OneRun": "onerun.canaries",
    "one_run_bound": "onerun.bound",
    "one_run_mu_bound": "onerun.bound",
    "read_one_run": "onerun.read",
    "tune_one_run": "onerun.choice",
    "GaussianPair": "pairs.gaussian",
    "LaplacePair": "pairs.laplace",
    "RandomizedResponsePair": "pairs.randomized_response",
    "SubsampledGaussianPair": "pairs.subsampled_gaussian",
    "Scores": "scores.sample",
    "ScoresError": "scores.sample",
    "example": "scores.examples",
    "examples": "scores.examples",
    "read_scores": "scores.files",
    "MechanismAudit": "testers.result",
    "Neighbours": "testers.neighbours",
    "audit_mechanism": "testers.audit",
    "test_samples": "testers.samples",
    "CanaryRun": "training.canaries",
    "simulate_canaries": "training.canaries",
}

# Packages that are public as a whole.
_PACKAGES = ("selection",)

__all__ = ["__version__", *_PACKAGES, *_HOME]

if TYPE_CHECKING:
    from workbench._public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"workbench.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}")
    value = getattr(import_module(f"workbench.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
