"""Which columns of a table hold the scores: `layout` says it, `guess` finds it, `apply` takes them.

`labels` has the spellings of labels. `scores_from_tables` in `apply` is the whole way from tables
to `Scores`.
"""
