"""Logistic noise: plug-ins of the workbench, each in a module of its own."""
