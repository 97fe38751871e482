"""Attacks on a synthetic table: scores of records, larger for those that the generator saw.

- `base` has `Attack`, which all of them are, and `AttackView`, what they may see.
- `registry` lists them: `distance` to the closest synthetic record.
"""
