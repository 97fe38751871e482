"""Trade-off function, privacy profile and GDP: objects and conversions."""
