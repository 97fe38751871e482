"""The command `train`: `train` has its options and runs it, `outcome` what is said at the end."""
