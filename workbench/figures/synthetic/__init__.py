"""Charts of an audit of a synthetic table.

`scores` has the scores of an attack, `attacks` the bounds of all attacks side by side, `threats`
the rates of success on members and on held-out records, `leaking` the records that leak most, and
`columns` what was found in the tables.
"""
