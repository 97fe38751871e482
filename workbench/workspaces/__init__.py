"""Data sets that outlive a page: where they came from, how they are read.

`workspace` is `Workspace`, which pages, notebooks and the command line share. It holds each
`dataset` with its source (`sources`, `draws`) and its `reading`; `storing` keeps them in memory or
on disk, and `home` opens the workspace on this computer's disk. `planning` stores plans of audits.
`content` has the hash of tables, `recorded` finds data by it, `cache` keeps scores, `view` lists
data sets, `link` is a page as text for an address, and `errors` has what is raised.
"""
