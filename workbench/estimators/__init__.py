"""Estimates from scores, without a guarantee.

`histogram` and its `bin_rules`, `roc`, the empirical receiver operating curve, `direction`,
which finds scores that were read in the wrong direction, and `threshold_places`, the thresholds
that a slider offers.
"""
