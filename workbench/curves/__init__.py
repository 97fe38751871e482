"""Trade-off functions, privacy profiles and Gaussian DP: objects and conversions.

`tradeoff` has the curve itself, `error_rates` what one pair of error rates implies, `gdp` and
`renyi` the closed forms, `renyi_quadrature` the Rényi divergences without one, `unequal_gaussians`
that of two variances, `exposure` ranks among candidates; `validation` checks array arguments,
`newton` finds roots on arrays.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
