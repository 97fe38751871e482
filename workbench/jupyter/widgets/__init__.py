"""Live widgets of a view: `live` puts `controls` beside the `board`.

A `slider` is one of the controls, and the `opener` leads to the dashboard.
"""
