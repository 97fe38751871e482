"""One module per version, never changed once it was released.

`v1` makes the tables, `v2` marks imported audits.
"""
