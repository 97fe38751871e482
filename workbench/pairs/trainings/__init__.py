"""Pairs of trainings whose batches are no Poisson samples, or whose noise is correlated.

`shuffled` has an epoch that goes through shuffled data, `balls_in_bins` one in which each record
draws its batch; both are `limits` from above with an attack from below, whose statistic is the
`largest_sum` of the steps. `banded` is matrix factorization with a banded Toeplitz matrix, and
`participation` its sensitivity. `group` is the claim about a group of records that a claim about
one implies.
"""
