"""One run in which a random part of the audited records was in.

- `matching`: `matched_pairs`, which makes pairs with fair coins of it, and the proof.
- `stability`: how much the scores of one such run depend on which part was in.
"""
