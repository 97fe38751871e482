"""Draws pages with Panel and serves them."""
