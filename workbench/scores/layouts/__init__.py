"""Which columns of a table hold the scores: `layout` says it, `guess` finds it, `apply` takes them.

`labels` has the spellings of labels, `direction` what names say about losses. `tools` recognizes
the tables of public tools, `folders` finds score files in their folders, `joined` takes labels from
a file of their own. `scores_from_tables` in `apply` is the whole way from tables to `Scores`.
"""
