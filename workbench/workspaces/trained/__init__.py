"""Scores of models that the workbench trained, as a data set: its `source`."""
