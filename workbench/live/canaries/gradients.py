"""`GradientCanaries`: per-example gradients that an auditor inserts before clipping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.live.canaries.base import LEAST, LiveCanaries
from workbench.live.canaries.likelihood import log_ratio
from workbench.training.dp_sgd.canary_gradients import (
    MOST_PARAMETERS,
    CanaryGradients,
    DiracCanaries,
    RandomCanaries,
)


class GradientCanaries(LiveCanaries):
    """Canary gradients of one training, sampled as records are and scored by what is released.

    In each step of the loop, `insert` adds the canaries that are sampled to the per-example
    gradients, before these are clipped, and `CanaryAudit.observe` takes the noisy gradient::

        gradients = canaries.insert(gradients)        # shape (batch, size)
        released = noisy_mean_of_clipped(gradients)   # shape (size,)
        audit.observe(released)

    Parameters
    ----------
    directions : DiracCanaries or RandomCanaries
        Of `workbench.training.dp_sgd.canary_gradients`; the class methods draw them.
    size : int
        Number of parameters.
    sample_rate : float
        Probability that a record is in a batch, in (0, 1].
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm; 0 if there is no noise.
    clip : float
        Clipping norm of a record's gradient.
    divisor : float
        What noisy sums are divided by, such as the expected batch size.
    seed : int or numpy.random.Generator
        Of the coins and the sampling.

    Raises
    ------
    ValueError
        An argument out of range.

    Notes
    -----
    Canaries are sampled by coins of their own in each step (Poisson sampling), whatever the loop
    does with records. The score of a canary is the sum over steps of the log likelihood ratio of
    the subsampled Gaussian, and without noise the sum of the inner products with its direction.

    Examples
    --------
    >>> canaries = wb.live.GradientCanaries.dirac(100, size=1000, sample_rate=0.1, seed=0)
    >>> canaries.insert(np.zeros((0, 1000))).shape[1]
    1000
    """

    larger_is_member = True

    def __init__(
        self,
        directions: CanaryGradients,
        size: int,
        *,
        sample_rate: float,
        noise_multiplier: float = 0.0,
        clip: float = 1.0,
        divisor: float = 1.0,
        seed: int | np.random.Generator = 0,
    ):
        need = "made by wb.live.GradientCanaries.dirac or .random"
        _checks.instance(directions, (DiracCanaries, RandomCanaries), "directions", need)
        self.directions, self.size = directions, _checks.count(size, "size", 1, MOST_PARAMETERS)
        directions.check(self.size)
        count = _checks.count(directions.count, "the number of canaries", least=LEAST)
        self.sample_rate = _checks.number(sample_rate, "sample_rate")
        if not 0 < self.sample_rate <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {sample_rate!r}; it is the probability that "
                "a record is in a batch"
            )
        self.noise_multiplier = _checks.non_negative(noise_multiplier, "noise_multiplier")
        self.clip = _checks.positive(clip, "clip")
        self.divisor = _checks.positive(divisor, "divisor")
        coins, self._sampling = _checks.random(seed).spawn(2)
        self.included = coins.random(count) < 0.5
        self._scores = np.zeros(count)
        self._inserted = False

    @classmethod
    def dirac(
        cls,
        count: int,
        size: int,
        *,
        seed: int | np.random.Generator = 0,
        norm: float | None = None,
        **settings: Any,
    ) -> GradientCanaries:
        """Canaries that change one parameter each, at random places.

        They do not disturb each other, and cost the least.

        Parameters
        ----------
        count : int
            Number of canaries, at most ``size``.
        size : int
            Number of parameters.
        seed : int or numpy.random.Generator
        norm : float, optional
            Of each gradient before clipping; the clipping norm by default.
        **settings
            Further arguments of `GradientCanaries`.
        """
        return cls._drawn(DiracCanaries.drawn, count, size, seed, norm, settings)

    @classmethod
    def random(
        cls,
        count: int,
        size: int,
        *,
        seed: int | np.random.Generator = 0,
        norm: float | None = None,
        **settings: Any,
    ) -> GradientCanaries:
        """Canaries in random directions, which take ``count`` · ``size`` numbers of memory.

        Parameters
        ----------
        count, size, seed, norm, **settings
            As of `dirac`, but there may be more canaries than parameters.
        """
        return cls._drawn(RandomCanaries.drawn, count, size, seed, norm, settings)

    @classmethod
    def _drawn(
        cls,
        drawn: Callable[[int, int, np.random.Generator, float], CanaryGradients],
        count: int,
        size: int,
        seed: int | np.random.Generator,
        norm: float | None,
        settings: dict[str, Any],
    ) -> GradientCanaries:
        count = _checks.count(count, "count", least=LEAST)
        size = _checks.count(size, "size", least=1)
        places, rest = _checks.random(seed).spawn(2)
        length = _checks.positive(settings.get("clip", 1.0) if norm is None else norm, "norm")
        return cls(drawn(count, size, places, length), size, seed=rest, **settings)

    @property
    def scores(self) -> Floats:
        """See `LiveCanaries`."""
        return self._scores.copy()

    @property
    def inserted(self) -> bool:
        """Whether the canaries of the step under way are inserted, and its release not observed."""
        return self._inserted

    def draw(self) -> NDArray[np.float32]:
        """The gradients of the canaries that are in this step's batch, shape (k, ``size``).

        For loops with gradients of another form; `insert` is for arrays.

        Raises
        ------
        ValueError
            Twice in one step.
        """
        if self._inserted:
            raise ValueError(
                "the canaries of this step are inserted already; insert them once in each step, "
                "and give the audit its noisy gradient before the next"
            )
        self._inserted = True
        sampled = self._sampling.random(self.included.size) < self.sample_rate
        chosen = np.flatnonzero(self.included & sampled)
        rows = np.zeros((chosen.size, self.size), dtype=np.float32)
        for row, one in zip(rows, chosen, strict=True):
            self.directions.add(row, np.array([one]), np.ones(1, dtype=np.float32))
        return rows

    def insert(self, gradients: ArrayLike) -> NDArray[Any]:
        """Per-example gradients of a batch, followed by those of the canaries in it.

        Parameters
        ----------
        gradients : array_like, shape (batch, size)
            Before clipping; an array of JAX, too. An empty batch is allowed.

        Returns
        -------
        ndarray, shape (batch + k, size)

        Raises
        ------
        ValueError
            Another shape; twice in one step.
        """
        given = _checks.listed(gradients, "gradients")
        if given.ndim != 2 or given.shape[1] != self.size:
            raise ValueError(
                f"gradients have shape {given.shape}; give one row of {self.size} numbers for each "
                "example"
            )
        return np.concatenate([given, self.draw().astype(given.dtype, copy=False)])

    def observe(self, observed: ArrayLike, divisor: float | None = None) -> None:
        """Take in the noisy gradient that a step released; `CanaryAudit.observe` calls it.

        Parameters
        ----------
        observed : array_like, shape (size,)
        divisor : float, optional
            What the noisy sum was divided by, where it differs from that of the canaries.

        Raises
        ------
        ValueError
            Another shape, NaN or ±∞, or a step without `insert`.
        """
        gradient = _checks.array(observed, "the noisy gradient")
        if gradient.shape != (self.size,):
            raise ValueError(
                f"the noisy gradient has shape {gradient.shape}; flatten it to {self.size} numbers"
            )
        if not np.isfinite(gradient).all():
            place = int(np.argmin(np.isfinite(gradient)))
            raise ValueError(
                f"the noisy gradient has {gradient[place]} at place {place}: the training has "
                "diverged, or the gradient was read too early; nothing was taken in"
            )
        if not self._inserted:
            raise ValueError(
                "a noisy gradient came before the canaries of its step were inserted; call "
                "insert() before the gradients are clipped"
            )
        scale = self.divisor if divisor is None else _checks.positive(divisor, "divisor")
        products = self.directions.products(gradient.astype(np.float32)).astype(float) * scale
        self._scores += self._increment(products)
        self._inserted = False

    def _increment(self, products: Floats) -> Floats:
        if self.noise_multiplier == 0:
            return products
        norms = self.directions.norms(np.arange(self.included.size))
        spread = self.noise_multiplier * self.clip
        shift = float(min(norms[0], self.clip)) / spread
        return log_ratio(products / spread, self.sample_rate, shift)
