"""Training runs, and models of them, that produce scores to audit: `canaries`."""
