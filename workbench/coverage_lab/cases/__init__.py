"""Simulated coverage of what is not a bound from two samples.

`case` says what a case is and counts its false claims. `tables` has score tables, `one_run` has
canaries of one training, `values` secrets of many values, `others` all else. `registry` lists them.
"""
