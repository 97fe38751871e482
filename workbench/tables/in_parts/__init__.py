"""Long score tables that are read a batch of rows at a time: large files, folders of parts.

- `rows` makes a table of them; no more is in memory than the table and some batches.
- `growing` is the table while rows arrive, `identifiers` the numbers of models and records.
- `in_process` does it in a process of its own, which has limits.
"""
