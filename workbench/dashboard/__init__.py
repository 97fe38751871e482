"""The dashboard: pages in a browser, one session per visitor.

`app` makes the server and its menu, `session` draws the page of one visitor, `channel` carries its
messages, `worker` has the threads, `files` puts uploads together, `server` what the server refuses,
`static` the files that browsers load.
"""
