"""The page on private selection: the privacy cost of releasing the best of many runs.

`page` is the complete page. Its parts have one subject each: `choice` (number of runs and the
privacy of one run), `bounds` (bounds without samples), `simulation` (an audit of simulated
selections), `trained` (an audit of real trainings), `outcomes` (an example with three outcomes).
"""
