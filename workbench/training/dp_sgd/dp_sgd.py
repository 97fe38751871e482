"""`DPSGDSettings`: settings of DP-SGD, which train models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.parallel import one_blas_thread
from workbench.training.dp_sgd.bugs import procedure
from workbench.training.dp_sgd.canary_gradients import CanaryGradients
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.network import Network, Vector
from workbench.training.dp_sgd.optimizers import optimizer
from workbench.training.dp_sgd.procedure import recorded
from workbench.training.dp_sgd.step_gradients import StepGradients

#: ``watch(step, theta, released)``: sees the model before a step, and the gradient it releases.
#: Neither may be kept or changed.
Watch = Callable[[int, Vector, Vector], None]

#: Sizes in a step: beyond them single precision has no room for gradients.
_LEAST, _MOST = 1e-15, 1e15


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model.

    Attributes
    ----------
    initial, final : array of float32, shape (parameters,)
        The parameters before and after training.
    """

    initial: NDArray[np.float32]
    final: NDArray[np.float32]

    def __post_init__(self) -> None:
        _checks.columns(self)


@dataclass(frozen=True)
class DPSGDSettings:
    """Settings of DP-SGD with Poisson sampling.

    Parameters
    ----------
    network : Network
    steps : int
        At least 1.
    sample_rate : float
        Probability that a record is in a batch, in (0, 1].
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm; 0 trains without privacy.
    expected_batch : float
        What noisy sums are divided by; must not depend on the data, so a neighboring data set has
        the same.
    clip : float
        Clipping norm of a record's gradient; infinite only where there is no noise.
    learning_rate : float
    optimizer : {"adam", "sgd", "momentum"}
    bug : str
        Name of a procedure of `workbench.training.dp_sgd.bugs`; "none" is the right one.
    noise_scale : float
        The s of the bug "scaled-noise".

    Raises
    ------
    ValueError
        An argument outside its range.
    """

    network: Network
    steps: int
    sample_rate: float
    noise_multiplier: float
    expected_batch: float
    clip: float = 1.0
    learning_rate: float = 0.001
    optimizer: str = "adam"
    bug: str = "none"
    noise_scale: float = 0.5

    def __post_init__(self) -> None:
        _checks.instance(self.network, Network, "network", "a workbench.training.Network")
        rate = _checks.number(self.sample_rate, "sample_rate")
        if not 0 < rate <= 1:
            raise ValueError(
                f"sample_rate must lie in (0, 1], got {self.sample_rate!r}; "
                "it is the probability that a record is in a batch"
            )
        noise = _checks.number(self.noise_multiplier, "noise_multiplier")
        if not 0 <= noise <= _MOST:
            raise ValueError(
                f"noise_multiplier must lie in [0, {_MOST:g}], got {self.noise_multiplier!r}; "
                "0 trains without noise"
            )
        clip = _checks.number_or_infinite(self.clip, "clip")
        checked = {
            "steps": _checks.count(self.steps, "steps", 1, _checks.REPEATED),
            "sample_rate": rate,
            "noise_multiplier": noise,
            "clip": clip if clip == np.inf and noise == 0 else _size(clip, "clip"),
            **{
                name: _size(getattr(self, name), name)
                for name in ("expected_batch", "learning_rate", "noise_scale")
            },
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        optimizer(self.optimizer)
        procedure(self.bug)

    @property
    def pair(self) -> DPSGDPair:
        """What the settings claim for all noisy gradients, by the accountant; add/remove.

        It is the claim whether or not there is a bug.

        Raises
        ------
        ValueError
            There is no noise.
        """
        if self.noise_multiplier == 0:
            raise ValueError(
                "noise_multiplier is 0, so nothing is claimed; set it above 0, or audit without "
                "a claim"
            )
        return DPSGDPair(self.noise_multiplier, self.sample_rate, self.steps)

    def train(
        self,
        data: LabeledData,
        rng: np.random.Generator,
        theta: Vector | None = None,
        canaries: CanaryGradients | None = None,
        watch: Watch | None = None,
    ) -> Model:
        """A model trained on the data.

        Parameters
        ----------
        data : LabeledData
            May be empty where there are canaries.
        rng : numpy.random.Generator
            Not cryptographically secure.
        theta : array, shape (parameters,), optional
            Initial parameters; random ones by default.
        canaries : CanaryGradients, optional
            Gradients that are sampled, clipped and added as those of records.
        watch : callable, optional
            See `Watch`.

        Raises
        ------
        ValueError
            Data, canaries or parameters of another shape than the network's, or parameters that are
            not finite in the end, as with a learning rate that is too large.
        """
        network = self.network
        network.check(data)
        _checks.generator(rng, "rng")
        if canaries is not None:
            need = "canaries such as wb.training.DiracCanaries([0])"
            _checks.instance(canaries, CanaryGradients, "canaries", need).check(network.size)
        initial = (
            network.initial(rng) if theta is None else network.parameters(theta).astype(np.float32)
        )
        final = initial.copy()
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            self._train(final, data, rng, canaries, watch)
        if not np.isfinite(final).all():
            raise ValueError(
                f"parameters are not finite after {self.steps} steps with learning_rate="
                f"{self.learning_rate:g}; take a smaller one"
            )
        return Model(initial, final)

    def _train(
        self,
        theta: NDArray[np.float32],
        data: LabeledData,
        rng: np.random.Generator,
        canaries: CanaryGradients | None,
        watch: Watch | None,
    ) -> None:
        """Train a model in place."""
        network = self.network
        steps, moves = recorded(procedure(self.bug)(self)), optimizer(self.optimizer)
        move = moves(self.learning_rate, network.size)
        items = data.size + (0 if canaries is None else canaries.count)
        divisor = np.float32(steps.divisor(items))
        for step in range(self.steps):
            chosen = steps.sample(items, rng)
            records = chosen[: chosen.searchsorted(data.size)]
            found = network.gradients(theta, data.x[records], data.y[records])
            batch = StepGradients(found, canaries, chosen[records.size :] - data.size)
            released = steps.total(batch)
            released += steps.noise(network.size, rng)
            released /= divisor
            if watch is not None:
                watch(step, theta, released)
            move.step(theta, released)


def _size(value: float, name: str) -> float:
    """``value`` as a float that steps in single precision can work with."""
    size = _checks.positive(value, name)
    if not _LEAST <= size <= _MOST:
        raise ValueError(
            f"{name} must lie between {_LEAST:g} and {_MOST:g}, got {value!r}; models are trained "
            "in single precision"
        )
    return size
