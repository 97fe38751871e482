"""Claims: `choice` of that of a mechanism, and what was `stated`, which may be kept with data.

`releases` reads the text of several releases, `risk` has the settings with which other pages open
the page Risk.
"""
