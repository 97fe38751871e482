"""Estimates from scores, without a guarantee.

`histogram` and its `bin_rules`, and `roc`, the empirical receiver operating curve.
"""
