"""One module per version, never changed once it was released.

`v1` makes the tables, `v2` ties what was accepted to its link, `v3` adds those of the owner's
browsers.
"""
