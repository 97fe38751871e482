"""The command `synthetic`: `command` has its options, `findings` what was found and the status.

`formats` prints it, and `splitting` splits a table before a generator is trained.
"""
