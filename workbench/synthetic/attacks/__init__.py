"""Attacks on a synthetic table: scores of records, larger for those that the generator saw.

- `base` has `Attack`, which all of them are, and `AttackView`, what they may see.
- `registry` lists them: `distance` to the closest synthetic record and its ratio to that of other
  records; `density` at the record, by kernels and by a classifier; `queries`; and a `forest` on all
  of these.
- `signals` computes what they use of each record, once and without any membership:
  `neighborhoods` has distances, found by `neighbors`, `marginals` the evidence of queries, and
  `classified` the odds of a classifier.
"""
