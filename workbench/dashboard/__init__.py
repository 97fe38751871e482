"""The dashboard: one document with all pages, in a browser.

`app` makes the server and the document, `tab` is a page in it. `visitors` knows who sees which data
sets; a `bench` has the live pages of one visitor, `live_page` draws one of them, `sent` knows what
a browser has of it. `connection` is an open document and `channel` its socket. `worker` has the
threads, `files` puts uploads together, `server` has the request handlers, `static` the files that
browsers load.
"""
