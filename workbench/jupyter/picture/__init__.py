"""The picture of a view, for where no widget lives: exports, readers, saved notebooks.

`snapshot` puts it together; `workbench.figures.kit.svg` draws one chart.
"""
