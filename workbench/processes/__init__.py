"""The one way to run something in another process, within limits.

Two kinds of process do all of it. A `child` is a new interpreter for what is not trusted, such as
files and mechanisms: it gets no secrets, its answers are checked and never unpickled, and it is
kept for the next request (`serving` is its side). The fork server (`forkserver` starts it,
`forking` is its side) has imported everything, so that a fork of it does trusted work at once;
`calls` runs a function there, with its progress. `pool` spreads many tasks over all cores, and does
them in turn where the system starts no process (`serial`).

- `limits` are what a process may use; the kernel, a `guard` or the fork server holds it to them.
- `family` finds and ends all processes that one has started.
- `messages` are what processes send each other: a header, and arrays as they are. `values` are
  messages of processes that trust each other.

The standard library's fork server was tried. It ends at the first fork that the system refuses, and
all work of everybody with it, without a reason; it has no limits, and leaves orphans alone. psutil
reads the same files of Linux as `family` does, as fast, but knows no sessions.
"""
