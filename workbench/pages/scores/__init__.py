"""The page about two samples of scores.

`page` has its numbers and charts, and its parts: `answer` (the headline), `bins`, `threshold`,
`statistic` (what is thresholded, with its simultaneous limits), `claimed` (what was promised, its
test, and references), `fits` (of μ), `over_steps` (many steps like the one in view), `widths` (of
bins, and what they do), `scales` (the axes of the charts) and `doubts` (what to check first).
`ranges` are those of the sliders, `planned` is what a plan fixes, and `code` writes the Python that
reproduces the page.
"""
