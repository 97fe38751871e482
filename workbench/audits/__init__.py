"""Audits to keep: what an audit found, of which data, by which software.

`audit` is the record, `items` are the parts of a page in it. An `archive` keeps audits: a
`summary` is one in a list, a `comparison` sets several side by side, an `attachment` is a file that
is kept with one, a `package` is one as a file, and `imported` says that it came from one.
`plan` is an audit written down before any score was seen, and `deviations` how one deviates from
it; `plans` are those of an archive. `series` has audits of one pipeline over time, with one error
budget. `reproduction` checks that a number is found again. `storing` is the database, and `errors`
has what is raised where it fails.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
