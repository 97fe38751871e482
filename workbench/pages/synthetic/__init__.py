"""The page about a synthetic table: does it give away who was in its training table?

`page` is the complete page. Its parts have one subject each: `tables` (three tables, and which file
is which, by `roles`), `columns` (what their columns are), `splitting` (one table that is split by
coins before a generator is trained), `audit` (the job, its bounds and charts), `threats` and
`words`. `measured` has what an audit found, without its tables, and `code` writes the Python that
reproduces it.
"""
