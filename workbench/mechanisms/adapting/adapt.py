"""`mechanism_from`: a function or object of any interface as a mechanism."""

from __future__ import annotations

import functools
import inspect
from dataclasses import replace
from typing import Any

from workbench import _checks
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.mechanisms.adapting import measurements, releases
from workbench.mechanisms.adapting.adapted import AdaptedMechanism
from workbench.mechanisms.adapting.calls import OWN, CallForm, Calls, as_list
from workbench.mechanisms.adapting.randomness import randomness_of
from workbench.mechanisms.adapting.signatures import form_of, short
from workbench.mechanisms.base import Mechanism
from workbench.pairs.base import Pair


def mechanism_from(
    x: Any,
    claim: Claim | Pair | str | None = None,
    *,
    call: str | None = None,
    pair: tuple[Any, Any] | None = None,
    neighboring_relation: str | None = None,
    domain: Any = None,
) -> AdaptedMechanism:
    """A function or object of any interface as a mechanism, which ``(dataset, size, rng)`` runs.

    `audit_mechanism`, `find_mechanism`, `explore_mechanism` and the assertions of
    `workbench.testing` pass what they are given through it.

    Parameters
    ----------
    x : callable or object
        A function of a dataset, called once for each run; one that also takes the number of runs
        (``size``, ``num_samples``, …), called once for all; either may take a source of randomness
        (``rng``, ``prng``, ``random_state``, ``seed``, …), in any order. Parameters of the
        mechanism are given by `functools.partial`. Or an object that is called so, such as a
        mechanism of dp_auditorium; a measurement of OpenDP; an object with a method ``randomise``
        (diffprivlib), ``quick_result`` (PyDP) or ``m`` (DP-Sniper); a `Mechanism`.
    claim : Claim, Pair or str, optional
        What it claims, such as ``"approx(1, 1e-5)"``. By default what the object says: the privacy
        map of a measurement at distance 1, ε and δ of a mechanism of diffprivlib.
    call : str, optional
        The arguments in their order, where names, annotations and defaults do not tell them:
        ``"dataset, size, rng"``, ``"rng, dataset"``, ``"dataset, n=size"``. The words are
        "dataset", "size" and, for randomness, "rng" (a `numpy.random.Generator`), "random_state"
        (a `numpy.random.RandomState`), "random" (a `random.Random`) and "seed" (an integer).
    pair : tuple of two datasets, optional
        What to test it on where no search can: neighbors because the caller says so, such as
        answers of queries. The relation is then "stated".
    neighboring_relation, domain : optional
        As in `audit_mechanism`; by default what the object says.

    Returns
    -------
    AdaptedMechanism
        ``calls`` says how ``x`` is called. A function that takes no source of randomness runs with
        numpy's and Python's global generators, and those that it keeps, in states drawn from
        ``rng``, which are put back afterwards; so the result can be repeated in any process.
        ``caveat`` says where it cannot, as for noise of the operating system.

    Raises
    ------
    ValueError
        Something that cannot be called so, a parameter without a value, or a signature that leaves
        open what a parameter is. The message has the code that would do.

    Examples
    --------
    >>> import functools
    >>> def noisy_sum(prng, queries, epsilon):
    ...     return sum(queries) + prng.laplace(scale=1 / epsilon)
    >>> mechanism = wb.mechanism_from(functools.partial(noisy_sum, epsilon=1), "pure(1)")
    >>> mechanism.calls
    'noisy_sum(rng, dataset), once for each run'
    >>> len(mechanism(np.ones(3), 5, np.random.default_rng(0)))
    5
    """
    found = _adapted(x, name_of(x), call)
    stated: dict[str, Any] = {}
    if claim is not None:
        stated["claim"] = as_claim(claim)
    if pair is not None:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise ValueError(
                f"pair must be two datasets, (dataset, neighbor); got {_checks.shown(pair)}"
            )
        stated |= {"pair": tuple(pair), "neighboring_relation": "stated"}
    if neighboring_relation is not None:
        stated["neighboring_relation"] = neighboring_relation
    if domain is not None:
        stated["domain"] = domain
    return replace(found, **stated) if stated else found


def _adapted(x: Any, name: str, call: str | None) -> AdaptedMechanism:
    if isinstance(x, AdaptedMechanism):
        return x if call is None else _adapted(_unwrapped(x.run), x.name, call)
    if isinstance(x, Mechanism):
        inner = _adapted(x.run, name, call)
        return replace(
            inner,
            claim=x.claim,
            neighboring_relation=x.neighboring_relation,
            domain=x.domain,
            pair=x.pair,
        )
    named = getattr(x, "adapted", None)  # what another process finds by name
    if isinstance(named, AdaptedMechanism):
        if call is not None:
            raise ValueError(
                f"call={call!r} is for functions; in the file of {name}, write\n"
                f"    mechanism = wb.mechanism_from({short(name)}, call={call!r})"
            )
        return replace(named, name=name, run=x, portable=True)
    return adapted(x, name, call)


def adapted(x: Any, name: str, call: str | None = None) -> AdaptedMechanism:
    """A function or object that is not yet a mechanism as one.

    Parameters
    ----------
    x : object
    name : str
        What results and messages call it.
    call : str, optional
        As in `mechanism_from`.

    Raises
    ------
    ValueError
        As `mechanism_from`.
    """
    if inspect.isclass(x):
        raise ValueError(
            f"{name} is a class; name a function, or an instance that can be called:\n"
            f"    mechanism = {short(name)}(...)"
        )
    if measurements.is_measurement(x):
        return _measurement(x, name)
    method = releases.method_of(x)
    if not method and not callable(x):
        raise ValueError(
            f"a mechanism must be a function, or an object that is called like one; {name} is "
            f"not a function but of type {type(x).__name__}. Write for instance\n"
            "    def mechanism(dataset):\n        return ...  # one output"
        )
    shown = f"{short(name)}.{method}" if method else short(name)
    function = getattr(x, method) if method else x
    kind = ""
    if call is None:
        form, kind = form_of(function, f"{name}.{method}" if method else name)
    else:
        form = CallForm.parse(call, inspect.isgeneratorfunction(function))
    one_value = method in releases.OF_ONE_VALUE
    convert = _plain_value if one_value else as_list if kind == "list" else None
    plain = str(form) == OWN and not (method or form.stream or kind == "list")
    unreached = () if form.seeded else randomness_of(x).unreached
    caveat = ""
    if unreached:
        caveat = (
            f"{shown} draws from {' and '.join(unreached)}, which no seed of the audit reaches, so "
            "another audit may draw other outputs"
        )
    return AdaptedMechanism(
        name,
        x if plain else Calls(x, form, method, convert, pure=one_value),
        form.in_words(shown),
        claim=releases.stated_claim(x, method),
        neighboring_relation=releases.relation_of(x, method),
        pair=releases.pair_of(x, method),
        remedy=remedy(shown),
        caveat=caveat,
        portable="random.SystemRandom" not in unreached,
        takes_frame=kind == "frame",
    )


def _measurement(x: Any, name: str) -> AdaptedMechanism:
    form = CallForm.parse("dataset")
    return AdaptedMechanism(
        name,
        Calls(x, form, convert=measurements.carrier(x), pure=True, random=False),
        form.in_words(short(name)),
        claim=measurements.claim(x),
        neighboring_relation=measurements.relation(x),
        domain=measurements.domain(x),
        caveat=measurements.CAVEAT,
        portable=False,
    )


def _plain_value(dataset: Any) -> Any:
    """An array of one number as that number, others as lists."""
    values = as_list(dataset)
    return values[0] if isinstance(values, list) and len(values) == 1 else values


def _unwrapped(run: Any) -> Any:
    return run.function if isinstance(run, Calls) else run


def remedy(shown: str) -> str:
    """The code that adapts a function, for messages.

    Parameters
    ----------
    shown : str
        The function as code writes it.
    """
    return (
        ". Write how it is called:\n    def mechanism(dataset, size, rng):\n"
        f"        return [{shown}(dataset) for _ in range(size)]"
    )


def name_of(x: Any) -> str:
    """The name by which `workbench.find_mechanism` finds a mechanism again, where it can.

    Parameters
    ----------
    x : object
    """
    if isinstance(x, Mechanism):  # it may wrap a function that was loaded by name
        return str(getattr(x.run, "name", x.name))
    name = getattr(x, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(x, functools.partial):
        given = ", ".join(f"{key}={value!r}" for key, value in x.keywords.items())
        return f"{short(name_of(x.func))} with {given}" if given else name_of(x.func)
    module = getattr(x, "__module__", None)
    name = getattr(x, "__qualname__", None)
    if not isinstance(name, str):
        return type(x).__qualname__
    lost = module in (None, "__main__") or "<" in name
    return name if lost else f"{module}:{name}"
