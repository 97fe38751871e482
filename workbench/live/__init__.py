"""Audits of a training loop of your own, drawn while it runs: ``wb.live``.

- `run_audit`: `Audit`, scores of independent runs, one by one. `canary_audit`: `CanaryAudit`,
  canaries in one training, with the proof of its bounds. `audit` is what both share.
- `canaries`: the canaries, and how they get into arrays, PyTorch and Opacus.
- `trainers`: callbacks for the trainers of Hugging Face and Lightning, and for loops of your own.
- `looks`: at which steps one looks, and how the error budget is spent. `guessing`: the bounds at a
  look.
- `state` is what is known at a moment; `drawing` shows it. `writing` keeps the scores in files,
  `kept_looks` the looks of a training that may resume.

The library itself imports neither PyTorch nor Opacus, nor a trainer; the callbacks use those of
your program.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
