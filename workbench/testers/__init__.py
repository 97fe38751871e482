"""Property testers: a mechanism in, a violation of its claim or an honest "none found" out.

From the top: `audit` searches neighboring datasets, `trial` tests one pair of them, `evidence` is
what was found (`serialization` writes it to a file). `two_samples` tests two sets of outputs at
hand. `error_budget` shares one error probability among all that an audit claims.

`property_testers` are the tests themselves, `learning` turns raw outputs into what they test,
`finders` propose neighboring datasets, `running` executes mechanisms. What a claim allows is a
method of `workbench.claims.base.Claim`.

To add a tester, read `property_testers.base` and `property_testers.hockey_stick`; then add a line
to `property_testers.registry`.
"""
