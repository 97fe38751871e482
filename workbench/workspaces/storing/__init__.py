"""Where a workspace keeps what it holds.

`store` says what is asked of such a place, and keeps everything in memory; `disk` keeps it in a
folder: what is small in the database of `schema`, tables as `parquet`, and each file of `files`
named by its hash. `guarded` falls back to memory where the disk fails. `held` finds what killed
programs left, and `allowance` is how much a workspace may hold.
"""
