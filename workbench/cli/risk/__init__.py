"""`workbench risk`: `command` reads the arguments, `printed` says what was found."""
