"""Bounds that hold at every sample size at once.

`anytime` is the public call, `betting` the bets behind it, `sets` the sets that they are on and
`predictable_counts` what they count; `e_values` are evidence to average and multiply, `monitoring`
replays an audit as scores arrive; `growing` updates bounds and evidence at the cost of the new
scores. `vectors` learns an ordering of vectors from a warm-up, by default that of `kernel_ratio`.
"""
