"""Charts of audits by one run: one `audit`, and its `growth` with the number of canaries."""
