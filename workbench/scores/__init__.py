"""A pair of score samples: hold it, read it from files, bundled examples.

`sample` is `Scores`; `files` reads them in three steps: `parsing` turns a file into a `table`, and
`layouts` finds the columns of the scores and takes them. `examples` are bundled; `refusals` words
messages.

To add a file format, read `parsing.formats` and one reader, such as `parsing.records`.
"""
