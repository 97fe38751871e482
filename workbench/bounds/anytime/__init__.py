"""Bounds that hold at every sample size at once.

`anytime` is the public call, `betting` the bets behind it, `predictable_counts` what they count,
`sets` the sets that bets are on;
`e_values` are evidence to average and multiply, `monitoring` replays an audit as scores arrive;
`growing` updates bounds and evidence at the cost of the new scores.
"""
