"""Pages in notebooks: live widgets, and a picture for where no widget lives.

`explore` makes views. A `view` has the controls and numbers as `attributes`, with the names and
values of Python (`settings`), a `display` of a `widget` and a `snapshot`, and `observers`; `parts`
are what it shows of the page. Its turns run on the `kernel_queue`, and `cell_lifetime` frees it
with its cell. `launcher` is the tile of JupyterLab that opens the dashboard, `opening` the address
at which it shows a view.
"""

try:
    import anywidget as _anywidget  # noqa: F401
    import ipywidgets as _ipywidgets  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        f"the notebook widgets need {error.name}: pip install 'dp-audit-workbench[lab]'"
    ) from error

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
