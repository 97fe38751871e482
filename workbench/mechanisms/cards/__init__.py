"""The cards of the gallery by subject: each module has a ``TITLE`` and its ``CARDS``.

- `means`, `sums`, `counts`: numbers with noise; `selection`: the largest of several, quantiles.
- `sparse_vector`, `sparse_vector_numbers`: queries compared with a threshold.
- `local`: reports of users; `training`: gradient descent; `floating_point`: low bits of doubles.
- `shared`: domains, pairs of datasets and sources of several cards.
"""
