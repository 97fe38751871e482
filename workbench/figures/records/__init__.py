"""Charts of score tables.

- `distribution`: how many records exceed each ε. `ranking`: the records in the order of their
  limits. `groups`: classes and other groups of records. `record`: the scores of one record, with
  its `picture`. `overlap`: which records several attacks find.
"""
