"""Families of pairs with one parameter.

`base` says what a `Family` is, and makes one of any function (`PairFamily`); `gaussian`, `laplace`,
`randomized_response` and `subsampled_gaussian` have closed forms, some by `roots`; `registry` finds
them by name.
"""
