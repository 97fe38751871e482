"""What browsers are sent: the board, which draws a page's title, numbers and charts.

``board.js`` and ``board.css`` are shared by the dashboard and by JupyterLab.
"""
