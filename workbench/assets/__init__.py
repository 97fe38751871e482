"""Scripts and styles that browsers load, and pages as the data that they draw.

``board.js`` and ``board.css`` are shared by the dashboard and by JupyterLab.
"""
