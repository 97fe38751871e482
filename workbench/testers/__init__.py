"""Property testers: a mechanism in, a violation of its claim or an honest "none found" out.

From the top: `audit` searches neighbouring datasets, `trial` tests one pair of them, `result` keeps
the evidence, `target` finds a mechanism by its name.

The testers (`base` says what one is): `hockey_stick` and `histogram` count one event (`events`),
`renyi` and `mmd` bound two means (`means`). They learn from raw outputs (`outputs`, `ratios`,
`chebyshev`), and `allowed` compares what they measure with the claim.

The datasets: `neighbours`, `datasets`, and those who propose them: `finders`, `at_random`, `grid`,
`bandit`.

What makes an audit hold: `budget` (one error for all), `repeats` (runs that are none), `sandbox`
(a mechanism that hangs or crashes).
"""
