"""Audits to keep: what an audit found, of which data, by which software.

`audit` is the record, `items` are the parts of a page in it, `software` names the versions that
<<<<<<< HEAD
computed it, `plan` is an audit written down before any score was seen, and how one deviates from
it, and `series` shares one error probability between audits over time.

`archive` saves audits and finds them: as `summary` in lists, with the scores of `attachment`, next
to each other in a `comparison`, in one file by `package`; `plans` are its plans. `storing` is the
database, and `errors` has what is raised where it fails.
=======
computed it, `plan` is an audit written down before any score was seen, and how one deviates
from it. `series` has audits of one pipeline over time, with one error budget. `reproduction`
checks that a number is found again. `storing` is the database, and `errors` has what is raised
where it fails.
>>>>>>> core
"""
