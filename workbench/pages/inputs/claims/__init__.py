"""Claims: `choice` of the claim of a mechanism, and what was `stated` of data."""
