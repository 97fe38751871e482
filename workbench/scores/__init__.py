"""A pair of score samples: hold it, read it from files, bundled examples."""
