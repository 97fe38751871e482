"""Layouts of score tables, as public tools and people write them.

`registry` has all of them. Of public tools: `lira`, `privacy_meter`, `shadow_statistics`,
`privacy_guard`, `vulnerability_matrix`. Of anybody: `arrays`, `long_form`, `wide_form`.

`base` has the protocol of a layout and what it finds; `place` reads a folder or file for it.
`words` has names of columns, `columns` reads labels and names, `orientation` finds which axis of an
array is which.
"""
