"""What several tests share.

`servers` and `programs` start processes and end them, `kernel` runs cells; `browser` and `board`
look at a page in a browser, `pages` at a page without one; `junit` reads reports.
"""
