"""Which neighboring datasets a mechanism is run on next.

`base` says what a finder is, `neighbors` what neighboring datasets are, `dataset_space` draws
datasets of a domain; `random`, `grid` and `bandit` are finders.
"""
