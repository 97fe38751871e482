"""Bounds from score tables: for all records at once, for the worst one, for a list of them.

- `methods` has them as methods of `ScoreTable`; `tabulated` is what they ask of a table, and `kept`
  what a table keeps between questions.
- `each_record` has `RecordLimits`, lower limits for all records together, from the tests of
  `rank_counts`, whose counts `counting` makes; `exceeding` has numbers and lists of records that
  exceed an ε.
- `worst_record` bounds the largest ε of all records: by `guesses` on several records that count
  together, or by the `e_values` of the records, which are products of `bets`. `robust` serves the
  fits of both.
- `pooled` has the average over all records.
"""
