"""The server: who comes, what they may see and use, and what is answered.

- `app` makes the server, as the `options` say, and `page_document` what it serves.
- `people_here` is who has documents open; `housekeeping` puts away what nobody uses.
- `visitors` has the live pages of everybody who is here, `people_folders` the workspaces on disk.
- `network` says how requests come: proxies, origins, headers; `handlers` answers them.
- `apps` has the Panel apps of whoever runs it, beside the pages.
- `following` reads a score file that grows, for everybody.
- `sockets` has open documents.
- `people` has what is known of people, `sharing` what they let each other read, `storing` the
  database of both.
- `background_work` makes what takes seconds, `work` has the processes that it and jobs run in.
- `operations` is for whoever runs the server: health, metrics, log, stop, backup.
"""

from workbench.software.extras import check

for _package in ("tornado", "argon2"):
    check(_package, "the server and its accounts need")
