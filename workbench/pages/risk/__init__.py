"""The page Risk: what an attacker could do.

`page` puts it together. `asked` has the attack, the baseline and the risk itself, `measured` what
scores or counts show, `numbers` the numbers that follow, `noise` the noise for a wished risk, and
`code` the Python that the page shows.
"""
