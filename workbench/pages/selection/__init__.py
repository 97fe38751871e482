"""The page on private selection.

`page` puts it together: `choice` (what is selected), `bounds` (known without samples), `simulation`
(an audit), `outcomes` (a worked example with three outcomes).
"""
