"""Charts for papers: the figures of the workbench, drawn by matplotlib for print.

`draw` draws a figure on axes, with the colors, dashes and fonts of `look`; `keys` draws its key,
`labels` moves labels that collide or leave the axes, and `texts` writes them in matplotlib's
markup. `export` writes SVG, PDF and PNG of a column's width, and `table` the data of a chart as
csv. `results` plots results on axes, as their ``plot`` methods ask it to.
"""
