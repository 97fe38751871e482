"""The database of audits, plans and series, in SQLite or PostgreSQL.

`database` opens it and runs transactions; `kind` is what differs between databases, and `sqlite`
and `postgresql` are the two; `database_file` makes a file of SQLite. `schema` has the tables,
`migrations` makes them and `migrating` runs those. What is read and written: `audit_rows`,
`plan_rows` and `series_rows`; `rows` finds those that are damaged; `stored_card` and `figure_text`
are an audit and its figures as text.
"""
