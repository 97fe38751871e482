"""Charts of private selection: `bounds` without samples, `audits` of it, its `outcomes`."""
