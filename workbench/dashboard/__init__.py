"""The dashboard: one document with all pages, in a browser.

`app` makes the server and the document, `tab` is a page in it. A `bench` has the live pages of one
visitor, `live_page` draws one of them, `sent` knows what a browser has of it, and `audits` answers
what is asked of the archive. `worker` has the threads, `files` puts uploads together. What the
server answers is in `serving`.
"""
