"""Where the bug is: a mechanism is recorded on one data set and replayed on a neighbor.

::

    from workbench.testing import record

    def release(data, rng):
        total = record.clip(data, 0, 1).sum()
        return record.laplace(total, sensitivity=1, epsilon=0.5, rng=rng)

    found = record.check(release, dataset, neighbor, claim="pure(0.5)")
    print(found)

- `primitives`: noise, clips, counts, thresholds and samples that code may call by name.
- `generator`: numpy's generators and functions, whose noise is recorded without a change of code;
  `noisy` is what they return, `session` one run, `trace` what it did, `places` files and lines.
- `running`: one run; `comparing`: what differs between two; `laws`: what noise hides.
- `checking`: `check`; `findings`: its result.
- `statistics`: an audit of what only statistics can judge; `training`: DP-SGD of this package.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
