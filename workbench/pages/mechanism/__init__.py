"""The page that tests a mechanism's privacy claim.

`page` is the complete page. Its parts have one subject each: `choice` (mechanism, claim and
datasets), `search` (the jobs and their results). `evidence` says which findings are valid after
repeated searches, `code` writes the Python that reproduces the page.
"""
