"""Singling out, linkability, inference, and copies: success on members against held-out records.

`singling_out` (by `predicates`), `linkability`, `inference` and `copies` are attacks. Each looks at
a `ThreatView` of `view`, which has no memberships, and gives `successes`. A `threat` has how often
it succeeds on members and on held-out records: `rates` has limits and the test by the coins,
`epsilon` the bound on ε. `running` runs all of them.
"""
