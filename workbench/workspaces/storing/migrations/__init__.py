"""The steps to each version of the database of a workspace; those that were released never change.

`v1` is where they begin, `v2` keeps what was shown of which data, `v3` what
was promised of a data set.
"""
