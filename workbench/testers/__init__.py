"""Property testers: search for evidence that a mechanism violates its privacy claim.

- `audit`: `audit_mechanism` searches neighboring datasets; `mechanism_audit` is its result,
  `replay` measures a finding again, `shrink` looks for smaller datasets that show it, `report` has
  the words, `serialization` writes files.
- `trial`: tests one pair of datasets; `evidence` is what it finds.
- `two_samples`: tests two samples of outputs.
- `error_budget`: shares one error probability among all findings of an audit.
- `allowed`: compares what testers measure with the claim.

Folders: `property_testers` are the tests, `outputs` turns outputs of any shape into arrays,
`learning` turns these into what testers measure, `finders` propose neighboring datasets, `running`
executes mechanisms. What a claim allows is a
method of `workbench.claims.base.Claim`.

To add a tester, read `property_testers.base` and `property_testers.hockey_stick`; then add a line
to `property_testers.registry`.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
