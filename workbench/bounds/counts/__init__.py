"""Bounds from the four counts of one attack.

`counts` holds and checks them, `from_counts` is the public call; `intervals` turns counts into
limits by a named interval (`binomial`: one rate; `joint_exact`: both rates at once); `posterior` is
Bayesian; `threshold` counts scores at a threshold chosen before the data.

To add an interval for counts, read `intervals` and `binomial`.
"""
