"""Audits of pages: `audit_of` records what a page shows, `page_of` shows an audit again.

`audit` is `workbench.audit`. `steps` divides the code of an audit into those that compute its
numbers, `notebook` makes a notebook of them, and `attached` has the scores and files of a page,
which are saved with its audit.
"""
