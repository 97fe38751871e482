"""Where a workspace keeps what it holds.

`store` says what is asked of such a place: data sets, settings of pages, what was seen, files.
`memory` ends with the program; `disk` is a folder, with `disk_datasets`: what is small in a
`database` with the tables of `schema` and the steps from older versions in `migrations`, tables as
`parquet`, and each file of `files` named by its hash. `guarded` falls back to memory where the disk
fails. `held` finds what killed programs left, and `allowance` is how much a workspace may hold.
"""
