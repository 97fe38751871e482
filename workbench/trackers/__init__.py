"""Bounds in experiment trackers, MLflow and Weights & Biases: ``wb.trackers``.

- `log`: a result with its guarantee, assumption and sizes, and its card as a file; `flush` sends
  what waits. Neither raises because a tracker cannot be reached.
- `naming`: under which names numbers are logged; an estimate is called one.
- `entries`: what one call of `log` sends, as it is kept in a file.
- `waiting`: the folder where entries wait until the tracker has them.
- `sending`: the thread that sends them, so that a training waits only so long.
- `runs`: runs of trackers; `mlflow_runs` and `wandb_runs` are the two kinds, and `recognizing`
  tells which an object is.

The trackers are those of your program: nothing here imports them.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
