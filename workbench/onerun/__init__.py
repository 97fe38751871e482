"""Audits from one run: canaries put in by coin flips, one training, and what the guesses prove."""
