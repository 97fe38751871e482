"""The page about audits by one training run.

`page` is the complete page. Its parts have one subject each: `source` (canaries and guesses),
`values` (canaries with many values, and ranks), `audit` (bounds from the guesses, and charts),
`numbers`, `words`, and `growth` (simulations with more canaries). `code` writes the Python that
reproduces it.
"""
