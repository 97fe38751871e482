"""Distribution pairs with known privacy loss.

`base` says what a `Pair` is, and `functions` what it is computed with. Closed forms: `gaussian`,
`laplace`, `randomized_response`, `subsampled_gaussian`, `discrete`, `outcomes`. `accounting`
composes them, DP-SGD included, and `last_iterate` is a heuristic for its final model
(`gaussian_mixture` has the divergences of mixtures); `families` are pairs that differ in one
parameter; `claimed` holds tables and Rényi curves; `calibration` finds the noise that a target
needs; `trainings` are those whose batches are no Poisson samples or whose noise is correlated;
`own` has pairs of other people; `gdp_tangent` compares a pair with the Gaussian one of its
tight μ, and `gdp_regret` says how much that μ alone hides.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
