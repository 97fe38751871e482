"""The pages: state (param), figures, numbers and help of each.

`registry` is the menu of pages, `start` the text of the start page and the tour, `glossary` the
terms that texts link to, and `answers` has what the answers of several pages share. `core` says
what a page, a part and a job are, `inputs` are parts that several pages have. `counts`, `family`,
`compare`, `watch` (with `monitoring`), `plan` (with `sample_sizes`), `pair_lab` and `coverage_lab`
are pages in a module or two; `scores`, `one_run`, `records`, `synthetic`, `mechanism`, `training`,
`risk` and `selection` are folders with a module `page`, as is `importing`, the step in which files
are opened.
`auditing` makes audits of pages, and pages of audits. `given` finds the page about an object of
Python.

To add a page, read `core.page` and a small page such as `counts`; then add a line to `registry`.
Other packages import what pages are made of from here: ``from workbench.pages import Page``.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
