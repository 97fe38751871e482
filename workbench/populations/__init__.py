"""Where nobody flipped a coin: how far two populations are apart, and what may still be said.

- `shift` has `shift_check`: can a classifier that sees no model tell members from non-members?
  `records` is what it sees: tables, arrays or texts.
- `conditional` has `panoramia` and `pointwise_correction`: what an audit of records that nobody
  drew shows of ε, on a condition about the two populations that no data can confirm.
- `unlearned` has `unlearning`: is a model that unlearned a record like one that never saw it?
  `equivalence` is its test of two samples of scores, `closer` the one of which of two others a
  sample is closer to.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
