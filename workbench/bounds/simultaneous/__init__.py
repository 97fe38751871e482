"""Bounds that hold at all thresholds at once, out of one error budget.

`band` is the trade-off band, `rank_tests` the exact tests at its ranks, `roc_band` limits both
error rates from both sides; `compare` asks which of two score sets leaks more, `composition` what k
steps leak; `fixed_bins` bounds a histogram whose bins were fixed in advance.
"""
