"""The pages of one visitor, live: what people do there, and what browsers show of it.

Nothing here knows of HTTP or of other visitors: that is the work of `workbench.server`.

- `visitor` has the session of a visitor and its parts.
- `gestures` lists all that visitors can do, `permissions` says what a person may do, and `limits`
  has what one person may use.
- A `tab` is a page of the dashboard, a `live_page` that of one visitor. `drawn` draws its items,
  `sent` knows what a browser has of them.
- `audits` answers what is asked of the archive, `sharing` what is asked about sharing; `requests`
  has what both do.
- `files` puts uploads together.
- `services` are those of the server that a session is part of, `worker` has the threads.
"""
