"""Sharing: what people let each other read, and how it is read.

- A `grant` is a row of the table: what an owner lets one person, everyone or a link's holder read.
- `grants` is the table, in the server's database and in memory; it says which grants hold.
- `lending` is the only way into the workspace of another person: it checks the grant every time.
- `lent` are the data sets and the saved audits that a person may read of others.
- `dialog` makes grants of what a person asks for; `person_sharing` is all of it for one person.
"""
