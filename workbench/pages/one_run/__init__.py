"""The page about audits by one training run.

`page` is the complete page. Its base classes each add one subject: `source` (canaries and guesses),
`audit` (bounds from the guesses), `growth` (simulations with more canaries). `code` writes the
Python that reproduces it.
"""
