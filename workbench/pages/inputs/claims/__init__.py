"""Claims: `choice` of the claim of a mechanism, what was `stated` of data, text of `releases`."""
