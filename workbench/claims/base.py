"""Claim: a statement about privacy loss, what it allows, and what evidence refutes.

What a claim allows and what refutes it are two views of one inequality: a divergence exceeds what
the claim allows exactly where the parameter that it implies exceeds the claim's own. All
divergences are the larger of both directions, as a claim speaks about both.
"""

from __future__ import annotations

import copy
import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from workbench import _checks
from workbench.claims.fields import ClaimFields, is_record, same_unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from workbench.bounds.bound import Bound
    from workbench.bounds.power.power import Mechanisms
    from workbench.bounds.quantities import Question
    from workbench.bounds.simultaneous.band import TradeoffBand
    from workbench.pairs.base import Pair


@dataclass(frozen=True)
class ClaimArgument:
    """An argument of a claim, for forms in which people choose one.

    Attributes
    ----------
    name : str
        Of the constructor's argument.
    label : str
        "ε".
    default : float
    bounds : (float, float)
        The values that a form offers.
    step : float
    above : bool
        Whether the lower bound itself is excluded.
    """

    name: str
    label: str
    default: float
    bounds: tuple[float, float]
    step: float
    above: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Claim(ABC):
    """A statement about the privacy loss of a mechanism, which an audit may refute.

    The same statement is known by the pair that leaks most among those that meet it
    (:attr:`dominating_pair`), by the divergences that it allows (``max_…``), and by the smallest
    value of its own parameter that evidence leaves possible (``parameter_refuted_by_…``).

    Attributes
    ----------
    fields : ClaimFields
        What the claim is about, beside its numbers; :meth:`with_fields` states it. Claims with
        different fields are different claims; no bound depends on the fields.

    Notes
    -----
    To add a claim, derive a class, and name it by an entry point of the group
    ``workbench.claims``, or in `workbench.claims.parse.CLAIMS`. It gives the class attributes,
    ``parameters``, ``symbol``, ``dominating_pair`` and the three ``parameter_refuted_by_…``; it
    overrides ``alternatives`` where it knows better ones, and ``max_delta``, ``max_renyi`` and
    ``min_tradeoff`` where the dominating pair leaks more than the claim allows.
    `workbench.testing.check_claim` checks it.
    """

    #: What `workbench.parse_claim` reads in front of the brackets.
    word: ClassVar[str]

    #: For lists to choose from: "(ε, δ)-DP".
    title: ClassVar[str]

    #: As text: "approx(2, 1e-5)".
    example: ClassVar[str]

    #: The constructor's arguments, in their order.
    arguments: ClassVar[tuple[ClaimArgument, ...]]

    #: The argument that evidence refutes.
    refutable: ClassVar[str] = "epsilon"

    #: Whether anything is claimed; not by `workbench.claims.unclaimed.Unclaimed`.
    stated: ClassVar[bool] = True

    fields: ClaimFields = field(default=ClaimFields(), init=False)

    # -- what is claimed ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]:
        """The constructor's arguments, by name."""

    @property
    def parameter(self) -> float | None:
        """The number that evidence refutes, such as ε or μ; None for a pair, which has none."""
        return self.parameters[self.refutable]

    @property
    @abstractmethod
    def symbol(self) -> str:
        """What the parameter is called: "ε at δ = 1e-5", "μ"; "" where there is none."""

    def with_parameter(self, x: float) -> Self:
        """The same kind of claim with another parameter."""
        other = type(self)(**{**self.parameters, self.refutable: x})
        return other.with_fields(**self.fields.given)

    def with_fields(
        self,
        *,
        unit: str | None = None,
        neighbors: str | None = None,
        mechanism: str | None = None,
        accountant: str | None = None,
        model: str | None = None,
        boundary: str | None = None,
    ) -> Self:
        """The same claim with fields: what it is about, beside its numbers.

        Parameters
        ----------
        unit, neighbors, mechanism, accountant, model, boundary : str, optional
            As of `ClaimFields`. None keeps what was stated before, "" removes it.

        Returns
        -------
        Claim
            No bound and no verdict depends on the fields.

        Raises
        ------
        ValueError
            As of `ClaimFields`; neighbors by another relation than that of the claimed pair.

        Examples
        --------
        >>> claim = wb.ApproxDP(1, 1e-5).with_fields(unit="user", neighbors="substitution")
        >>> print(claim)
        approx(1, 1e-5, unit=user, neighbors=substitute)
        >>> wb.parse_claim("approx(1, 1e-5, unit=user, neighbors=substitute)") == claim
        True
        """
        given = {
            **{"unit": unit, "neighbors": neighbors, "mechanism": mechanism},
            **{"accountant": accountant, "model": model, "boundary": boundary},
        }
        stated = replace(self.fields, **{n: one for n, one in given.items() if one is not None})
        if stated.neighbors and self.own_relation not in ("", stated.neighbors):
            raise ValueError(
                f"neighbors must be those of the claimed pair, which is accounted for "
                f"{self.own_relation}; got {neighbors!r}: claim a pair for that relation, such as "
                f"'dpsgd(…, relation={stated.neighbors})'"
            )
        made = copy.copy(self)
        object.__setattr__(made, "fields", stated)
        return made

    @property
    def own_relation(self) -> str:
        """The neighboring relation that the claim is for by its nature; "" where it is for any."""
        return ""

    def differences(self, unit: str = "", neighbors: str = "") -> tuple[str, ...]:
        """Where an audit is about something else than the claim, by its fields.

        Parameters
        ----------
        unit : str
            Of what the audit puts in or leaves out, such as "record"; "" where it is not known.
        neighbors : str
            "add-remove" or "substitute"; "" where it is not known.

        Returns
        -------
        tuple of str
            Sentences; empty where the claim does not say, or says the same.
        """
        relation = self.fields.neighbors or (self.own_relation if neighbors else "")
        return (
            *_relations_apart(relation, neighbors, self.fields.unit or "record"),
            *_units_apart(self.fields.unit, unit),
        )

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        given = ", ".join(f"{name}={value!r}" for name, value in self.fields.given.items())
        return f"{type(self).__name__}({numbers})" + (f".with_fields({given})" if given else "")

    def __str__(self) -> str:
        said = [*map(number_text, self.parameters.values()), str(self.fields)]
        return f"{self.word}({', '.join(filter(None, said))})"

    @property
    def short(self) -> str:
        """What charts and controls call the claim: "(2, 1e-5)", "μ = 1"."""
        known = self.parameters
        return ", ".join(f"{one.label} = {number_text(known[one.name])}" for one in self.arguments)

    # -- what it implies ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def dominating_pair(self) -> Pair:
        """The pair that leaks most among those that meet the claim, or one that leaks more."""

    def delta(self, epsilon: ArrayLike) -> Any:
        """The smallest known δ with (ε, δ)-DP for every mechanism that meets the claim.

        Parameters
        ----------
        epsilon : array_like
            Any real.

        Returns
        -------
        float or ndarray, the shape of ``epsilon``
            δ(ε) of :attr:`dominating_pair`.
        """
        return self.dominating_pair.delta(epsilon)

    def profile(self, epsilon: ArrayLike) -> Any:
        """δ(ε): another name of :meth:`delta`."""
        return self.delta(epsilon)

    def epsilon(self, delta: ArrayLike) -> Any:
        """The smallest known ε with (ε, δ)-DP for every mechanism that meets the claim.

        Parameters
        ----------
        delta : array_like
            In [0, 1).

        Returns
        -------
        float or ndarray, the shape of ``delta``
            ``inf`` where there is none.
        """
        return self.dominating_pair.epsilon(delta)

    def tradeoff(self, alpha: ArrayLike) -> Any:
        """The trade-off function of :attr:`dominating_pair`.

        Parameters
        ----------
        alpha : array_like
            False positive rates in [0, 1].

        Returns
        -------
        float or ndarray, the shape of ``alpha``
            No test of a mechanism that meets the claim has a smaller false negative rate.
        """
        return self.dominating_pair.tradeoff(alpha)

    # -- what it allows ----------------------------------------------------------------------------

    def max_delta(self, epsilon: float) -> float:
        """The largest hockey-stick divergence at ε of a pair that meets the claim.

        Parameters
        ----------
        epsilon : float
            At least 0.

        Raises
        ------
        ValueError
            A negative ε.
        """
        return float(self.delta(checked_epsilon(epsilon)))

    def max_total_variation(self) -> float:
        """The largest total variation distance of a pair that meets the claim."""
        return self.max_delta(0.0)

    def max_renyi(self, order: float) -> float:
        """The largest Rényi divergence of a pair that meets the claim.

        Parameters
        ----------
        order : float
            Above 1.

        Returns
        -------
        float
            ``inf`` where the claim allows any.

        Raises
        ------
        ValueError
            An order of at most 1; `workbench.DivergenceError` where no value could be computed.
        """
        return self.dominating_pair.renyi_divergence(order)

    def min_tradeoff(self, alpha: Any) -> Any:
        """The smallest false negative rate of a test against a pair that meets the claim.

        Parameters
        ----------
        alpha : ndarray
            False positive rates in [0, 1].

        Returns
        -------
        ndarray, the shape of ``alpha``
            A test below it refutes the claim, and nothing else does.
        """
        return self.tradeoff(alpha)

    def limits_renyi(self, order: float) -> bool:
        """Whether a Rényi divergence of this order says something about the parameter."""
        return math.isfinite(self.max_renyi(order))

    # -- which parameter evidence refutes ----------------------------------------------------------

    @abstractmethod
    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> Any:
        """The parameter below which an event refutes the claim.

        Parameters
        ----------
        fpr_upper, fnr_upper : float or ndarray
            Q's probability of the event is at most ``fpr_upper``, P's at least 1 − ``fnr_upper``.

        Returns
        -------
        float or ndarray, or None
            Every smaller parameter is refuted; 0 where none is. None for a pair.
        """

    @abstractmethod
    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> float | None:
        """The parameter below which a hockey-stick divergence of at least δ at ε refutes the claim.

        Parameters
        ----------
        delta : float
            At most 1; negative shows nothing.
        epsilon : float
            At least 0.

        Returns
        -------
        float or None
            Every smaller parameter is refuted; 0 where none is. None for a pair.
        """

    @abstractmethod
    def parameter_refuted_by_renyi(self, value: float, order: float) -> float | None:
        """The parameter below which a Rényi divergence of at least ``value`` refutes the claim.

        Parameters
        ----------
        value : float
            Negative shows nothing.
        order : float
            Above 1.

        Returns
        -------
        float or None
            Every smaller parameter is refuted; 0 where none is. None for a pair.
        """

    # -- how it is tested --------------------------------------------------------------------------

    @property
    def named_epsilon(self) -> float | None:
        """The ε that the claim itself names, at which δ(ε) decides; None where it names none."""
        return None

    @property
    def named_order(self) -> float | None:
        """The Rényi order that the claim itself names; None where it names none."""
        return None

    @property
    def question(self) -> Question | None:
        """The parameter as a function of error rates; None where it has no closed form."""
        return None

    @property
    def quantity(self) -> tuple[str, dict[str, float]] | None:
        """The parameter as the quantity of a `Bound`, with its arguments; None where it is none."""
        return None

    @property
    def for_power(self) -> Claim:
        """The claim that a detected leak refutes: this one, or perfect privacy without a claim."""
        return self

    def easiest_to_refute(self, x: float) -> Pair:
        """The pair with parameter ``x`` that an audit detects first.

        Parameters
        ----------
        x : float
            At least 0.
        """
        return self.with_parameter(x).dominating_pair

    def alternatives(self) -> tuple[Mechanisms, ...]:
        """Mechanisms that leak more than the claim as their parameter grows.

        Returns
        -------
        tuple of Mechanisms
            The first is the easiest to detect, and decides whether samples are too few. A second
            one, where it differs, shows how much harder noise of a common kind is. By default, the
            pairs of :meth:`easiest_to_refute`.
        """
        from workbench.bounds.power.power import Mechanisms

        def curve(x: float, alpha: Any) -> Any:
            return np.asarray(self.easiest_to_refute(x).tradeoff(alpha))

        own = 0.0 if self.parameter is None else self.parameter
        return (Mechanisms("the easiest to detect", self.symbol, own, curve),)

    def lower_bound(self, band: TradeoffBand) -> Bound | None:
        """The band's lower bound on the parameter; None where the band has none."""
        return None

    def parameter_bound(self, found: Bound, parameter: float) -> Bound:
        """A finding as a bound on the claim's own parameter.

        Parameters
        ----------
        found : Bound
            On a divergence.
        parameter : float
            What the same evidence refutes, by a ``parameter_refuted_by_…``.

        Returns
        -------
        Bound
            With the finding's guarantee and confidence; ``found`` as it is where :attr:`quantity`
            is None.
        """
        if self.quantity is None:
            return found
        from workbench.bounds.quantities import QuantityArguments

        quantity, arguments = self.quantity
        at = QuantityArguments(**arguments)
        return replace(found, quantity=quantity, value=float(parameter), at=at, threshold=None)

    def why_any_renyi(self, order: float) -> str:
        """Why no Rényi divergence of this order refutes the claim, as a sentence."""
        return f"{self} allows any Rényi divergence of order {order:g}; test its own order"


def _relations_apart(claimed: str, audited: str, unit: str) -> tuple[str, ...]:
    """A sentence where a claim and an audit have other neighbors."""
    if claimed == "substitute" and not audited:
        return (
            f"The claim is about replacing one {unit}: it is judged as if the scores without the "
            f"{unit} came from data with another in its place.",
        )
    if claimed == "substitute" and audited == "add-remove":
        return (
            f"The claim is about replacing one {unit}, the audit about adding or removing one: the "
            f"verdict carries over where another {unit} stood in the place of what was left out.",
        )
    if claimed == "add-remove" and audited == "substitute":
        return (
            f"The claim is about adding or removing one {unit}, the audit about replacing one, "
            "which is two such steps: (ε, δ)-DP by the first is (2ε, (1 + e^ε) δ)-DP by the "
            "second.",
        )
    return ()


def _units_apart(claimed: str, audited: str) -> tuple[str, ...]:
    """A sentence where a claim and an audit have another unit of privacy."""
    if not claimed or same_unit(claimed, audited):
        return ()
    if not audited:
        return (
            f"The claim is about one {claimed}: it is judged as if each score were about all data "
            f"of one {claimed}.",
        )
    if is_record(claimed):
        return (
            f"The claim is about one {claimed}, the audit about one {audited}: for one with k "
            f"records, the claim allows what k steps allow.",
        )
    return (
        f"The claim is about one {claimed}, the audit about one {audited}: the verdict carries "
        f"over where that is all data of one {claimed}.",
    )


def at_least_zero(value: Any, name: str, hint: str = "0 is perfect privacy") -> float:
    """A finite number of at least 0 (ValueError otherwise)."""
    x = _checks.number(value, name)
    if x < 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}; {hint}")
    return x


def checked_epsilon(epsilon: float) -> float:
    """An ε of at least 0, at which a divergence is asked (ValueError otherwise)."""
    return at_least_zero(epsilon, "epsilon", "exchange P and Q instead")


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number: 2, 0.5, 1e-5."""
    text = f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return re.sub(r"e([+-])0*", lambda m: "e-" if m[1] == "-" else "e", text)
