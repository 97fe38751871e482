"""What `workbench test` makes of an audited mechanism: `formats` prints its report."""
