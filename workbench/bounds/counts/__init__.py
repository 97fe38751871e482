"""Bounds from the four counts of one attack.

`counts` holds them and gives the bounds, as methods and as functions, by a named interval of
`intervals` (`binomial`: limits of one rate; `joint_exact`: of both rates at once; `credible`: from
a posterior). `posterior` asks the posterior about a trade-off function; `threshold` counts scores
at a threshold chosen before the data.

To add an interval for counts, read `intervals` and `binomial`.
"""

# `wb.binomial` is looked up here, and a module is an attribute of its package once it is imported.
from workbench.bounds.counts import binomial as binomial
