"""Data sets of the kind "table": score tables of many records.

- `columns` keeps a `ScoreTable` as columns, and makes it again from them.
- `sources` says where a table comes from: files, Python, the bundled examples, or a draw.
"""
