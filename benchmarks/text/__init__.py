"""Audits of a small transformer: with and without DP-SGD, on docstrings of the standard library.

python -m benchmarks text [audits]

One training has both kinds of canaries: new tokens, each in or out by a coin, and identifiers, each
one of 1000 values. Every audit is kept in ``build/text`` and is not done again. `transformer` has
the model and its tokenizer, `corpus` the text, `training` the two ways to train, and `audits` what
is measured.
"""
