"""Canaries of one training: each is in by a fair coin, which nobody but the auditor knows.

`base` is what an audit needs of them. `gradients` are per-example gradients that are inserted
before clipping, and scored by `likelihood`; `tensors` gets them into those of PyTorch, and `opacus`
into an optimizer of Opacus. `records` go into the data.

The coins, the sampling and the directions come from a seed of their own. The training must not
depend on the coins in any way but through the canaries, so never give both the same generator.
"""
