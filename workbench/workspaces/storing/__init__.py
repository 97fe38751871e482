"""Where a workspace keeps what it holds.

`store` has the parts of such a place: data sets (`entry` is one), settings of pages, what was seen,
files. It is in memory, and on the disk that `guarded` reaches while it can be used. `disk` is that
folder, with `disk_datasets`: what is small in a `database` with the tables of `schema` and the
steps from older versions in `migrations`, tables as `parquet`, and each file of `files` named by
its hash. `held` finds what killed programs left, and `allowance` is how much a workspace may hold.
"""
