"""Bounds from the scores of the canaries of one run, and tests of what they assume.

- `bound`: a bound from the scores, which assumes that canaries do not influence each other.
- `independence`: tests of that assumption. `in_one_run` has those from the order of the canaries,
  `in_several_runs` those from a table of several runs, and `check` what both share.
"""
