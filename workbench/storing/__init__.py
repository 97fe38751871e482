"""Databases: a file of SQLite, one in memory, or a PostgreSQL server; opened, migrated, used.

`database` has `Database`: it opens one when it is first used, and runs transactions. `schema` makes
the tables of a new database, and runs the migrations of an old one. `kind` is what differs between
databases; `sqlite` and `postgresql` are the kinds, and `database_file` makes a file of SQLite.
`wording` says what is wrong, as a `StorageError` of `errors`. `rows` finds damaged rows.
"""
