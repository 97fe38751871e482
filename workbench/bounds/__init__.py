"""Bounds with a guarantee: binomial limits, the band over all thresholds, fixed-bin limits."""
