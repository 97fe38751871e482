"""A pair of score samples: hold it, read it from files, bundled examples.

`sample` is `Scores`. What answers its questions is `rows`, with all scores, or `value_counts`, with
the number of scores of each value; both rest on `ordered`. `input_checks` takes what is given,
`chance` is the random number of a data set, and `counting` has the scores that are counted.

`files` reads scores in three steps: `parsing` turns a file into a `table`, `opening` puts files
together that belong together, and `layouts` finds the columns of the scores and takes them.
`statement` is what a file states of its scores. `growing` reads files to which rows are appended.
`class_outputs` makes scores of the outputs of models for classes. `examples` are bundled.
`refusals` words messages, and `moved` knows the former names of members.

To add a file format, read `parsing.formats` and one reader, such as `parsing.frames`; to add the
files of a tool, `layouts.tools` and `layouts.folders`.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
