"""The page about two samples of scores.

`page` has its numbers and charts, and its parts: `answer` (the headline), `bins`, `threshold`,
`statistic` (what is thresholded, with its simultaneous limits), `comparison` (with a reference) and
`doubts` (what to check first). `ranges` are those of the sliders, `planned` is what a plan fixes,
and `code` writes the Python that reproduces the page.
"""
