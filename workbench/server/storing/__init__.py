"""The database of the server: accounts, sign-ins and shares, in a file that only its user may read.

`database` opens it with what `workbench.storing` has for all databases; `schema` has the
tables, and `migrations` makes them.
"""
