"""The scores page: `page`, and `code`, the Python that reproduces it."""
