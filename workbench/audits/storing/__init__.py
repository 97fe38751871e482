"""The database of audits, plans and series, in SQLite or PostgreSQL; see `workbench.storing`.

`database` says where it is, and `schema` has its tables; `migrations` has the steps from older
versions, and `triggers` keep rows as they were written. `audit_rows` reads and writes audits;
`stored_card` and `figure_text` are an audit and its figures as text.
"""
