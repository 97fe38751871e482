"""`form_of`: how a function is called, from the names, annotations and defaults of its parameters.

What they do not tell is asked: the error shows both ways to write it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from workbench.mechanisms.adapting.calls import GENERATORS, OWN, Argument, CallForm

#: What parameters of these names are given.
NAMES = {
    **dict.fromkeys(
        (
            *("size", "num_samples", "n_samples", "nsamples", "number_of_samples", "sample_size"),
            *("num_runs", "n_runs", "runs", "n_draws", "num_draws", "draws", "n_outputs"),
            *("num_outputs", "repetitions", "n_repetitions", "repeats", "n_repeats"),
        ),
        "size",
    ),
    **dict.fromkeys(("rng", "prng", "generator", "random_generator", "np_rng", "gen"), "rng"),
    **dict.fromkeys(("random_state", "randomstate", "rand_state"), "random_state"),
    **dict.fromkeys(("seed", "random_seed"), "seed"),
}

#: What datasets are called.
DATASETS = frozenset(
    {
        *("dataset", "data", "database", "db", "d", "x", "df", "frame", "table", "records"),
        *("record", "values", "value", "queries", "query", "answers", "counts", "array", "a"),
        *("rows", "row", "input", "inputs", "population", "sample"),
    }
)

#: What parameters of a mechanism are called, which no run chooses.
PARAMETERS = frozenset(
    {
        *("epsilon", "eps", "delta", "rho", "mu", "sensitivity", "scale", "sigma", "noise_scale"),
        *("noise_multiplier", "threshold", "bounds", "bins", "clip", "lower", "upper", "config"),
        *("min_value", "max_value", "low", "high", "columns", "params", "t"),
    }
)

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def form_of(function: Callable[..., Any], name: str) -> tuple[CallForm, str]:
    """How a function is called, and what its datasets are: "list", "frame" or "".

    Parameters
    ----------
    function : callable
    name : str
        What messages call it.

    Raises
    ------
    ValueError
        It takes no dataset, it has parameters without a value, or it is not clear what one of them
        is; the message shows the code to write.
    """
    inner = getattr(function, "func", function)
    call = inner if inspect.isroutine(inner) else type(inner).__call__
    if inspect.iscoroutinefunction(call):
        raise ValueError(
            f"{name} is asynchronous; give a function that waits for it:\n"
            f"    def mechanism(dataset):\n        return asyncio.run({short(name)}(dataset))"
        )
    stream = inspect.isgeneratorfunction(call)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some compiled functions do not tell
        return CallForm.parse(OWN), ""
    listed = list(signature.parameters.values())
    single = [one for one in listed if one.kind not in _VARIABLE]
    if not any(one.kind in _POSITIONAL for one in single) and _VARIABLE[0] in {
        one.kind for one in listed
    }:
        return CallForm.parse(OWN), ""
    bound = getattr(function, "keywords", None)
    fixed = set(bound) if isinstance(bound, dict) else set()  # by functools.partial
    given = _roles([one for one in single if one.name not in fixed], name, signature)
    stream = stream and "size" not in given.values()
    dataset = next(one for one in single if given.get(one.name) == "dataset")
    return CallForm(_arguments(single, given), stream), _kind(dataset)


_VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _roles(parameters: list[Parameter], name: str, signature: inspect.Signature) -> dict[str, str]:
    """What each parameter is given; those that keep their default are left out."""
    given: dict[str, str] = {}
    for one in parameters:
        role = _role(one)
        if role is not None and role not in given.values():
            given[one.name] = role
    _drop_spare_generators(parameters, given)
    needed = [one for one in parameters if one.default is Parameter.empty]
    unknown = [one for one in needed if one.name not in given]
    placed = _by_place(parameters, given, unknown)
    if placed is not None:
        return placed
    data = _dataset(parameters, unknown, given, name, signature)
    given[data.name] = "dataset"
    missing = [one for one in unknown if one is not data]
    if missing:
        _ask(missing, data, given, name, signature)
    doubtful = next((one for one in parameters if one.name == "n" and one.name not in given), None)
    if doubtful is not None and "size" not in given.values():
        _ask([doubtful], data, given, name, signature)
    return given


def _role(one: Parameter) -> str | None:
    """What an annotation or a name says."""
    said = one.annotation
    text = "" if said is Parameter.empty else said if isinstance(said, str) else _type_name(said)
    if re.search(r"\bRandomState\b", text):
        return "random_state"
    if re.search(r"\bGenerator\b(?!\[)", text):
        return "rng"
    if re.search(r"\brandom\.Random\b", text):
        return "random"
    return NAMES.get(one.name.lower().strip("_"))


def _type_name(said: Any) -> str:
    return f"{said.__module__}.{said.__qualname__}" if isinstance(said, type) else str(said)


def _kind(dataset: Parameter) -> str:
    said = dataset.annotation
    text = "" if said is Parameter.empty else said if isinstance(said, str) else _type_name(said)
    if re.search(r"\bDataFrame\b", text):
        return "frame"
    return "list" if re.match(r"(builtins\.|typing\.)?(list|List)\b", text) else ""


def _drop_spare_generators(parameters: list[Parameter], given: dict[str, str]) -> None:
    """Of several sources of randomness, keep those that are needed, or else the first."""
    sources = [one for one in parameters if given.get(one.name) in GENERATORS]
    needed = [one for one in sources if one.default is Parameter.empty] or sources[:1]
    for one in sources:
        if one not in needed:
            del given[one.name]


def _by_place(
    parameters: list[Parameter], given: dict[str, str], unknown: list[Parameter]
) -> dict[str, str] | None:
    """The roles of ``(dataset, size, rng)`` under other names, or None.

    Three parameters by position are these three, unless a name contradicts.
    """
    first = [one for one in parameters if one.kind in _POSITIONAL][:3]
    needed = [one for one in parameters if one.default is Parameter.empty]
    if len(first) < 3 or any(one not in first for one in needed) or len(unknown) < 2:
        return None
    if any(one.name.lower() in PARAMETERS for one in unknown):
        return None
    roles = dict(zip((one.name for one in first), ("dataset", "size", "rng"), strict=True))
    for one in first:
        known = given.get(one.name)
        if known is not None and known != roles[one.name]:
            if known in GENERATORS and roles[one.name] == "rng":
                roles[one.name] = known
                continue
            return None
    if first[2].name not in given and first[2].default is not Parameter.empty:
        return None
    return roles


def _dataset(
    parameters: list[Parameter],
    unknown: list[Parameter],
    given: dict[str, str],
    name: str,
    signature: inspect.Signature,
) -> Parameter:
    """The parameter that is the dataset."""
    likely = unknown or [one for one in parameters if one.name not in given]
    called_so = [one for one in likely if one.name.lower() in DATASETS]
    if len(called_so) == 1:
        return called_so[0]
    others = [one for one in likely if one.name.lower() not in PARAMETERS]
    if called_so or (unknown and others):
        return (called_so or others)[0]
    raise ValueError(
        f"{name}{signature} takes no dataset; a mechanism is a function of one, such as\n"
        f"    def mechanism(dataset, size, rng):\n"
        f"        return [... for _ in range(size)]  # one output for each run"
    )


def _ask(
    missing: list[Parameter],
    data: Parameter,
    given: dict[str, str],
    name: str,
    signature: inspect.Signature,
) -> None:
    """Raise: a parameter has no value, or it may be the number of runs.

    Raises
    ------
    ValueError
    """
    f = short(name)
    values = ", ".join(f"{one.name}=..." for one in missing)
    valued = f"    import functools\n    mechanism = functools.partial({f}, {values})"
    names = " and ".join(one.name for one in missing)
    one = missing[0]
    if len(missing) > 1 or "size" in given.values() or one.name.lower() in PARAMETERS:
        raise ValueError(
            f"{name} takes {signature}, and {names} "
            f"{'have' if len(missing) > 1 else 'has'} no value. Give it:\n{valued}"
        )
    order = [
        (given.get(each.name) or ("size" if each is one else "dataset"), each)
        for each in signature.parameters.values()
        if each.name in given or each is one or each is data
    ]
    text = ", ".join(
        role
        if each.kind in _POSITIONAL and each.kind is not Parameter.KEYWORD_ONLY
        else f"{each.name}={role}"
        for role, each in order
    )
    if one.default is not Parameter.empty:
        rest = ", ".join(role for role, each in order if each is not one)
        kept = f"    mechanism = wb.mechanism_from({f}, call={rest!r})"
    else:
        kept = valued
    raise ValueError(
        f"{name} takes {signature}: is {one.name} the number of runs, or a parameter of the "
        f"mechanism?\nThe number of runs:\n"
        f"    mechanism = wb.mechanism_from({f}, call={text!r})\n"
        f"A parameter:\n{kept}"
    )


def _arguments(parameters: list[Parameter], given: dict[str, str]) -> tuple[Argument, ...]:
    """The arguments of a call, by position as far as none is left out before."""
    found, by_position = [], True
    for one in parameters:
        if one.name not in given:
            by_position = by_position and one.kind not in _POSITIONAL
            continue
        plain = by_position and one.kind in _POSITIONAL
        found.append(Argument(given[one.name], None if plain else one.name))
    return tuple(found)


def short(name: str) -> str:
    """A name as code may write it: without its file or module."""
    last = name.rpartition(":")[2].rpartition("<locals>.")[2].partition(" with ")[0]
    return last if last.replace(".", "").isidentifier() else "f"
