"""Bounds that hold at all thresholds at once, out of one error budget.

`band` is the trade-off band of two samples, `rank_band` its numbers without the scores, `ties` the
cuts between blocks of equal scores, `rank_tests` the exact tests at its ranks, and
`refuting_counts` their critical values. `roc_band` has two-sided limits of both error rates,
`compare` shows which of two score sets leaks more, `composition` bounds the leakage of k steps, and
`fixed_bins` bounds a histogram whose bins were fixed in advance.
"""
