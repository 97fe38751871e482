"""What whoever runs the server needs: is it well, what does it do, how does it start and stop.

- `state` says whether the server starts, serves or stops, and which documents are open.
- `checks` are those of ``/health``, `metrics` the numbers of ``/metrics``.
- `access` counts and logs requests, `log` formats the log of a server that people share, and
  `repeats` keeps it short.
- `memory` is given back once nobody needs it.
- `stopping` ends a server so that nothing is lost.
- `backup` writes all that a server keeps to a file, `restore` reads it, and a `manifest` says what
  is in it.
"""
