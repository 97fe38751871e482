"""Estimates from scores, without a guarantee: histogram and receiver operating curve."""
