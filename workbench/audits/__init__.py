"""Audits to keep: what an audit found, of which data, by which software.

`audit` is the record, `items` are the parts of a page in it, `software` names the versions that
computed it, `plan` is an audit written down before any score was seen, and how one deviates
from it. `series` has audits of one pipeline over time, with one error budget. `storing` is the
database, and `errors` has what is raised where it fails.
"""
