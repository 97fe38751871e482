"""Estimates from scores, without a guarantee.

`histogram` and its `bin_rules`, `cross_fitting` and `bin_widths`, which estimate on one half what
was learned on the other; `roc`, the empirical receiver operating curve, `binormal`, the likelihood
of a line in its probit coordinates, `range_bias`, what a largest value shows without a leak, and
`exposures`, the mean exposure of canaries among candidates;
`direction`, which finds scores that were read in the wrong direction, and `threshold_places`, the
thresholds that a slider offers.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
