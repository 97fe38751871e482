"""The page that tests a mechanism.

`page` puts it together: `choice` (mechanism, claim, datasets), `search` (its jobs), `evidence`
(what findings may claim after repeated searches), `code` (the Python that reproduces it).
"""
