"""Charts of models that are trained: `arriving` while they come, `certified` after the last one."""
