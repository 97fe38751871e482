"""The steps to each version of the database of audits; those that were released never change.

`v1` is where they begin, `v2` marks imported audits.
"""
