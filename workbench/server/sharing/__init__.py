"""Sharing: what people let each other read, and how it is read.

- A `share` is what an owner lets one person, everyone or whoever has a link read.
- `shares` keeps all of them in the server's database, and in memory.
- `lending` is the only way into the workspace of another person: it checks the share every time.
- `lent` are the data sets, `lent_audits` the saved audits that a person may read of others.
- `person_sharing` answers what a person asks about sharing.
- `guesses` bounds how often addresses of links can be guessed.
- `errors` are the refusals.
"""
