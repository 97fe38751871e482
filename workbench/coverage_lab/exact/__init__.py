"""Levels of methods as sums over all likely data sets with few values, without simulation.

`tables` sums over count tables of scores with two or three values, `orders` over the orders of
distinct scores, `held_out` over the ranks that a held-out bound may choose, `records` over score
tables of few records and `guesses` over right guesses in one run. `settings` lists what is summed,
and `methods` what is tested.
"""
