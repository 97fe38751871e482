"""Pages in notebooks: live widgets, and a picture for where no widget lives.

`explore` makes views. A `view` has the controls and numbers as `attributes`, a `display` of
`widgets` and a `picture`, and `observers`. Its turns run on the `kernel_queue`.
"""

try:
    import anywidget as _anywidget  # noqa: F401
    import ipywidgets as _ipywidgets  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        f"the notebook widgets need {error.name}: pip install 'dp-audit-workbench[lab]'"
    ) from error
