"""Coverage of every method, measured by simulation, and levels that are computed exactly.

`lab` runs the simulation, `methods` lists what it tests, `scenarios` the distributions with a known
truth. `exact` sums levels over all likely data sets, `cases` simulates what is not a bound from two
samples. `measured` reads the stored results of the shipped version, and `probes` tells whether they
are those of the present code.
"""
