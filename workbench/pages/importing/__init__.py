"""The import step: what was found in files is shown before any number is drawn from them.

`page` has `ImportPage`, `choices` its controls and what is proposed, `chosen_reading` how the files
are read as it is chosen, `opened_files` what they are, and `acceptance` the end of the step.
`uploads` has the tables of its files, `score_tables` those of many records, `proposals` whether
there are labels, and `preview` describes columns.
"""
