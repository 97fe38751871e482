"""A pair of score samples: hold it, read it from files, bundled examples.

`sample` is `Scores`, `ordered` what answers its questions on ranks and counts, `chance` the random
number that a data set is given; `counting` has
scores that are known by their counts. `files` reads scores in three steps: `parsing` turns a file
into a `table`, `opening` puts files together that belong together, and `layouts` finds the columns
of the scores and takes them; `statement` is what a file states of its scores. `growing` reads files
to which rows are appended. `class_outputs` makes scores of the outputs of models for classes.
`examples` are bundled; `refusals` words messages.

To add a file format, read `parsing.formats` and one reader, such as `parsing.records`; to add the
files of a tool, `layouts.tools` and `layouts.folders`.
"""
