"""Commands for courses: `slides` of notebooks, and `explorables`."""
