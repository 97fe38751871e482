"""Running a mechanism of the user.

- `load_mechanism` finds it by name, `portable` sends it to other processes.
- `sandbox` runs it in a process with limits; `source` draws outputs on both datasets.
- `independence` checks that its runs do not repeat each other.
"""
