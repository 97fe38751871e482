"""What several tests share.

`servers` and `programs` start processes and end them, `served` starts a server in a thread,
`people` one for people with accounts, `asking` sends requests as they are; `kernel` runs cells;
`browser` and `board` look at a page in a browser, `pages` at a page without one; `junit` reads
reports. `apt` installs what the `ensure_` scripts do not find.
"""
