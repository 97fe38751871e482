"""Draws pages in notebooks: live with ipywidgets, and as a picture where no widget lives."""

try:
    import anywidget as _anywidget  # noqa: F401
    import ipywidgets as _ipywidgets  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        f"the notebook widgets need {error.name}: pip install 'dp-audit-workbench[lab]'"
    ) from error
