"""Commands about notebooks: `slides`."""
