"""The page about the records of a score table.

`page` is the complete page. Its parts have one subject each: `source` (the table), `ranking`
(limits of all records, as a job for large tables), `view` (groups, the ranking in view and the
record in view), `attacks` (which records several attacks find). `attributes` reads what is known of
the records, and `code` writes the Python that reproduces it.
"""
