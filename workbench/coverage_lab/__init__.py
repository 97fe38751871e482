"""Coverage of every method, measured by simulation.

`lab` runs the simulation, `methods` lists what it tests, `scenarios` the distributions with a known
truth, and `measured` reads the stored results of the shipped version.
"""
