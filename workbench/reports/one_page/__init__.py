"""The report on one page: for a reader who wants the answer, and how to check it.

`content` chooses what is on it, and shortens it to what a page holds; `document` is its HTML. The
style is ``one_page.css``.
"""
