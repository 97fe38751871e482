"""Which columns of a table hold the scores: `layout` says it, `guess` finds it, `apply` takes them.

`senses` has what names and labels say about membership, `labels` their spellings, `direction` what
names say about losses, `repeats` what shows that rows belong together. `tools` recognizes
the tables of public tools, `folders` finds score files in their folders, `joined` takes labels from
a file of their own. `confusion` refuses four counts in the place of scores, `ranked` ranks of true
values among candidates. `scores_from_tables` in `apply` is the whole way from tables to `Scores`.
"""
