"""Charts: functions from results to plain dicts in plotly's format.

One module or folder per subject; charts speak the vocabulary of `kit`, know no front end, and
compute no statistics. `scores`, `compare`, `counts`, `family`, `pair`, `plan`, `watch`, `coverage`,
`risk`, `one_run`, `records`, `synthetic`, `selection`, `mechanism`, `training` and `importing` have
the charts of the pages with these names; `compared` has the curves that scores are compared with,
`past_bounds` the bounds of repeated draws, `series` the audits of one pipeline over time, and
`overlay` the curves of several audits. `results` has the charts of single results. `paper` draws
figures for print, by matplotlib, and `plotly_figures` makes figures of plotly.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
