"""Claims: `choice` of that of a mechanism, what was `stated`, also `kept` with data, `releases`."""
