"""One module a page: its state, figures, numbers and help; drawn by any front end."""
