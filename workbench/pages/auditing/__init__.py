"""Audits of pages: `audit_of` records what a page shows, `page_of` shows an audit again.

`attached` has the scores and files of a page, which are saved with its audit.
"""
