"""Attacks computed from a table of signals, and the comparison of attacks on the same records.

- `signals` is `SignalTable`. `lira` and `rmia` compute its attacks.
- `references` says with which models a model is compared, `reference_group` has their statistics,
  `blocks` takes a large table a few records at a time.
- `overlap` compares the records that several attacks find, `combining` has `CombinedLimits`, what
  they prove together.
"""
