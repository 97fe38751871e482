"""Labels and single values: what a model tells of the labels it was trained on, or a report of one.

- `game` has `LabelGame`: each label against another one, a fair coin between them, drawn before the
  training or implied by a law of the labels after it. `run` has `LabelRun`, its scores.
- `law` reads the stated law of the labels, and draws from it. `law_test` tests whether labels
  follow it, by `residuals` of several kinds.
- `local_reports` audits a local protocol: users with values, a report of each, a guess per report.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
