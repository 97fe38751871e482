"""Live widgets of a view: `live` puts `controls` (ipywidgets) beside the `board` (anywidget)."""
