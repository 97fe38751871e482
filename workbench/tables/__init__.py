"""Tables of many records: one score for each model and record, and which record was in which model.

- `table` is `ScoreTable`; `design` recognizes how the records were assigned to the models.
- `read` is `read_score_table`, `recognition` tells whether a file is such a table; `layouts` finds
  tables in files and folders, `remarks` says what in them can mislead; `in_parts` reads long tables
  a batch of rows at a time.
- `classes` finds whether an axis is one of classes, and makes scores of them.
- `bounds` has the bounds of a table, which are methods of `ScoreTable`.
- `attacks` computes scores from signals (`SignalTable`), and compares attacks.
- `examples` has the bundled table.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
