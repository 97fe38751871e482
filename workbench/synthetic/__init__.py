"""Synthetic tables: does one tell who was in the training table of its generator?

- `audit` has `SyntheticAudit`: three tables in, bounds on ε and verdicts out. `choice` fixes the
  attack and its number of guesses on a share that is never measured.
- `tables` reads and checks the tables; `columns` finds what their columns are, from `cells`.
- `split` makes a split by fair coins before a generator is trained; `split_test` tests whether one
  can be random.
- `attacks` scores records by how likely the generator saw them, from mixed columns as numbers,
  which `encoding` makes.
- `threats` measures singling out, linkability, inference and copies.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
