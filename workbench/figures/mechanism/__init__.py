"""Charts of a tested mechanism: `search`, its `neighbors`, one `witness`."""
