"""One module per version, never changed once it was released.

`v1` makes the tables, `v3` those of the owner's browsers.
"""
