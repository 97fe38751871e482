"""Ranks of true values among many candidates, and the exposure of secrets.

- `ranks`: `Ranks`, the rank of each canary's true value among its candidates; also from scores.
- `law`: how small ranks can be under ε-DP, the proof, and the exact tail of a sum of exposures.
- `exposure`: `exposure`, the exposure of each secret and a lower bound on ε from all of them.
- `read`: `read_ranks`, ranks and candidates from a file.
"""
