"""Pairs whose privacy loss is accounted for numerically.

`pld` convolves privacy loss distributions, `tilted` does so for their far tails, `accounted` makes
a pair of them, `composed` is k-fold composition, `dpsgd` is DP-SGD, `batches` the same with batches
of fixed or bounded size, `mixture` has Gaussian noise on sums of random sensitivity.
"""
