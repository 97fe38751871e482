"""Threats of European regulators: singling out, linkability, inference, and copies of records.

- `base` has `Threat`, the result; `registry` lists what measures them.
"""
