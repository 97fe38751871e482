"""Generators of synthetic tables: three that are bundled, and any other, run once or many times.

- `duck_typing` has `generate`, which makes one table by whatever can, and `Generator`; `refusals`
  its errors.
- `many_runs` runs a generator with and without records, in processes and folders as trainings are;
  `targets` proposes records, from `columns_of_table`.
- `copying` leaks; `marginals` is private, from the counts of `bins` known in advance; `forgotten`
  claims to be, and is not.
- `patients` is a public table, and `examples` has audits of it by name.
"""
