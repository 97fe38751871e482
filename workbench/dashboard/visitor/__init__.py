"""The session of one visitor, by what its gestures are about.

- A `session` takes the gestures that are not about one page, and has the parts below.
- `pages` has the live pages, and what is kept of them; `import_step` is the one in a dialog.
- `history` has the changes that can be undone; `undo` goes back.
- `data_sets` are chosen, renamed and removed; `lent` are those of others.
- `links` lead to a page with its settings and data.
- `browsers` show it.
"""
