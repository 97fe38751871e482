"""The live widgets of a view: its controls with ipywidgets, its board with anywidget."""
