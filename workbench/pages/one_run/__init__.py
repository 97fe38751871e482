"""The page on one training run.

`page` puts it together: `source` (where the canaries come from), `audit` (the bounds), `growth`
(more canaries), `code` (the Python that reproduces it).
"""
