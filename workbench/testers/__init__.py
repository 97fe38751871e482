"""Property testers: a mechanism in, a violation of its claim or an honest "none found" out.

From the top: `audit` searches neighbouring datasets, `trial` tests one pair of them, `result` keeps
the evidence (`stored` as a file, `picture` for charts), `target` finds a mechanism by its name.
`samples` tests two sets of outputs at hand.

The testers (`base` says what one is, `registry` has them by name): `hockey_stick` and `histogram`
count one event (`event_tester`, `events`), `renyi` and `mmd` bet on two means (`means`, `power`).
They learn on one half of the fitting part and choose on the other (`halves`), from raw outputs
(`outputs`, `ratios`, `chebyshev`); `allowed` compares what they measure with the claim.

The datasets: `neighbours`, `datasets`, and those who propose them: `finders`, `at_random`, `grid`,
`bandit`.

What makes an audit hold: `budget` (one error for all), `repeats` (runs that are none), `sandbox`
(a mechanism that hangs or crashes).
"""
