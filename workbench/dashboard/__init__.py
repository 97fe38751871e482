"""The pages of one visitor, live: what people do there, and what browsers show of it.

Nothing here knows of HTTP or of other visitors: that is the work of `workbench.server`.

- A `tab` is a page of the dashboard.
- A `bench` has the live pages of one visitor, with the `services` of the server that it is part of.
- `live_page` draws one of the pages, `sent` knows what a browser has of it.
- `audits` answers what is asked of the archive, `sharing` what is asked about sharing; `requests`
  has what both do.
- `files` puts uploads together.
- `limits` has what one person may use.
- `permissions` says what a person may do.
- `worker` has the threads.
"""
