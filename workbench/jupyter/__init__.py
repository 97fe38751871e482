"""Views in notebooks: live widgets, and a picture for where no widget lives.

`display` puts the `widget` of a view, and its `snapshot`, into the output of a cell, and
`cell_lifetime` frees it with its cell. `launcher` is the tile of JupyterLab that opens the
dashboard. The functions and classes that were here are those of `workbench.views`.
"""

from workbench import _names, views

__getattr__, __dir__, __all__ = _names.attach(views.__name__)
