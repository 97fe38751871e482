"""The import step: what was found in files is shown before any number is drawn from them.

`page` has `ImportPage`, and `choices` its controls. `proposals` has what names of columns and files
suggest, and `preview` describes columns.
"""
