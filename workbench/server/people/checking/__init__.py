"""How passwords are checked, and how often they may be tried.

- The `door` lets in whoever knows a password.
- `passwords` hashes them.
- A `throttle` bounds how often they may be tried; `devices` are browsers that it trusts more.
- `turns` is the queue of checks.
- A `tally` keeps the log short.
"""
