"""The scores page: `page`; `planned`, what a plan fixes on it; `code`, which reproduces it."""
