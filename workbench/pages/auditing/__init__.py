"""Audits of pages: `audit_of` records what a page shows, `page_of` shows an audit again."""
