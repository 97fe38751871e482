"""How passwords are checked, and how often they may be tried.

- `password_check` lets in whoever knows a password.
- `passwords` hashes them.
- A `throttle` bounds how often they may be tried; `devices` are browsers that it trusts more.
- `fair_queue` is the queue of checks.
- `event_counts` keep the log short.
"""
