"""Data sets that outlive a page: where they came from, how they are read.

`workspace` is `Workspace`, which pages, notebooks and the command line share. It holds each
`dataset` with its source (`sources`, `draws`) and its `reading`; a `store` keeps them in memory.
`content` has the hash of tables, `cache` keeps scores, `view` lists data sets, `errors` has what is
raised.
"""
