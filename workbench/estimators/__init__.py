"""Estimates from scores, without a guarantee.

`histogram` and its `bin_rules`, `roc`, the empirical receiver operating curve, and `direction`,
which finds scores that were read in the wrong direction.
"""
