"""Bounds from the four counts of one attack.

`four_counts` holds and checks them, `counts` adds the bounds as methods, `from_counts` has them as
functions; `intervals` turns counts into limits by a named interval (`binomial`: one rate;
`joint_exact`: both rates at once); `posterior` is Bayesian; `threshold` counts scores at a
threshold chosen before the data.

To add an interval for counts, read `intervals` and `binomial`.
"""

# `wb.binomial` is looked up here, and a module is an attribute of its package once it is imported.
from workbench.bounds.counts import binomial as binomial
