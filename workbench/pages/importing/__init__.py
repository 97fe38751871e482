"""The import step: what was found in files is shown before any number is drawn from them.

`page` has `ImportPage`, and `choices` its controls. `uploads` has the tables of its files,
`score_tables` those of many records, `proposals` whether there are labels, and
`preview` describes columns.
"""
