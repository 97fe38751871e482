"""What `workbench audit` does with a score file.

`file_audit` has the numbers, verdicts and exit status, `formats` and `sarif` print them. `member`
is the place of an audit in a series, `baseline` compares it with a saved audit, and `keeping` saves
it. `of_ranks` is the audit of a file of ranks.
"""
