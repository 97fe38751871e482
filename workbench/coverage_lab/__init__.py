"""Coverage of every method, measured by simulation, and exact levels.

`lab` runs the simulation, `methods` lists what it tests, `scenarios` the distributions with a known
truth. `exact` has levels as sums over all likely data sets with few values, `cases` simulations of
score tables, canaries and all else. `measured` reads the stored results of the shipped version, and
`probes` tell whether they are those of the present code.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
