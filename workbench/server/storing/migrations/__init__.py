"""The steps to each version of the server's database; those that were released never change.

`v1` is where they begin, `v2` ties what was accepted to its link, `v3` adds the owner's browsers.
"""
