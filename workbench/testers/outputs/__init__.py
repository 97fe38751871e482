"""Outputs of any shape: dictionaries, tables, lists of any length, Enums, texts, and mixed.

- `table` has them as cells, each at a path such as ``['group A']``; `cells` finds them.
- `table_encoding` turns tables into the arrays that testers take, fitted on some of them.
"""
