"""Singling out, linkability, inference, and copies: success on members against held-out records.

`singling_out` (by `predicates`), `linkability`, `inference` and `copies` are attacks. Each looks at
a `ThreatView` of `view`, which has no memberships, and gives `successes`; `registry` lists them and
counts. `base` has `Threat`, the result: how often an attack succeeds on members and on held-out
records, with the limits and the test by the coins of `rates`, and the bound on ε of the guesses of
`named_members`.
"""
