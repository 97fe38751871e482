"""Running a mechanism that nobody vouches for.

`load_mechanism` finds it by name, `sandbox` runs it in a process with a time limit, `independence`
checks that its runs do not repeat each other.
"""
