"""Pages in notebooks: live widgets, and a picture for where no widget lives.

`explore` makes views. A `view` has the controls and numbers as `attributes`, with the names and
values of Python (`settings`), a `display` of a `widget` and a `snapshot`, and `observers`; `parts`
are what it shows of the page. Its turns run on the `kernel_queue`, and `cell_lifetime` frees it
with its cell. `launcher` is the tile of JupyterLab that opens the dashboard, `opening` the address
at which it shows a view.
"""

from workbench import _names
from workbench.software.extras import require

for _package in ("anywidget", "ipywidgets"):
    require(_package, "the notebook widgets need")

__getattr__, __dir__, __all__ = _names.attach(__name__)
