"""Estimates from scores, without a guarantee.

`histogram` and its `bin_rules`, `roc`, the empirical receiver operating curve, and `direction`,
which finds scores that were read in the wrong direction.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
