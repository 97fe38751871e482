"""Local protocols: each user randomizes a value of K alone, and sends a report.

- `encodings`: k-ary randomized response, unary encodings, subset selection, and one with a bug that
  was published. `hashing`: local hashing. `rappor`: RAPPOR, one report or several of one user.
- `protocols`: any of them as a `LocalProtocol`, with what a report speaks for, to be audited.
"""
