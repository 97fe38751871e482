"""Scripts and styles that browsers load, and pages as the data that they draw.

`board` makes the data of the numbers and charts, `controls` those of the controls, `start` those of
the start page, the tour and the glossary, and `search` the index that the search looks in.
``board.js`` and ``board.css`` are shared by the dashboard and by JupyterLab.
"""
