"""Claims: `choice` of that of a mechanism, what was `stated`, also `kept` with data.

`releases` reads the text of several releases, `risk` has the settings with which other pages open
the page Risk.
"""
