"""Options of `workbench serve`, by subject, and the commands of whoever runs it.

- `network` says where the server listens and what stands before it, `who` who may come, and
  `limits` what they may use.
- `watching` has the options of its log and its end.
- `following` has those of a score file that the server follows.
- `apps` has that of Panel apps beside the pages.
- `config` reads options from a file.
- `address` words refusals where a server cannot listen.
- `oauth` has those of signing in with an account elsewhere.
- `backup` has the commands that back up and restore what is kept.
"""
