"""Live widgets of a view: `live` puts `controls` beside the `board`; a `slider` is one of them."""
