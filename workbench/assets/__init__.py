"""Scripts and styles that browsers load, and pages as the data that they draw.

`board` makes the data of the numbers and charts, `controls` those of the controls. ``board.js`` and
``board.css`` are shared by the dashboard and by JupyterLab.
"""
