"""`generate`: one synthetic table from whatever makes some."""

from __future__ import annotations

import copy
import inspect
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from workbench import _checks
from workbench.synthetic.generators.refusals import GeneratorError, rows_of, table_of

if TYPE_CHECKING:
    import pandas as pd

#: Names of the method that draws rows, of arguments that say how many, and of those that take a
#: seed.
METHODS = ("sample", "generate")
SIZES = ("n", "num_rows", "n_samples", "n_records", "count", "size", "rows")
SEEDS = ("seed", "random_state", "rng")


class Generator(Protocol):
    """What makes synthetic tables: fitted to a table, it draws rows of another one.

    A function of a table is one, too; see `generate` for all forms.
    """

    def fit(self, table: pd.DataFrame, /) -> Any:
        """Learn from a table; what is returned is not used."""

    def sample(self, n: int, /) -> pd.DataFrame:
        """A synthetic table with n rows."""


def generate(
    generator: Generator | Callable[..., Any],
    table: pd.DataFrame,
    rows: int | None = None,
    *,
    seed: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """One synthetic table from a generator, which is left as it was.

    Parameters
    ----------
    generator : Generator or callable
        An object with ``fit(table)`` and ``sample(n)``, such as the synthesizers of SDV; whatever
        it needs besides, such as metadata, it has already. A copy of it is fitted. Or a class of
        which such an object is made without arguments, or a function of the table that returns
        another one. ``sample`` may be called ``generate``, and n may be called num_rows, n_samples,
        n_records, count, size or rows.
    table : DataFrame
        What it is fitted to.
    rows : int, optional
        Number of rows that it is asked for; by default as many as the table has. Where it matters
        whether a record is in the table, state it: the number of rows would tell.
    seed : int or numpy.random.Generator, optional
        Given to ``fit``, ``sample`` or the function where they have an argument seed, random_state
        or rng. The generators of the program (``random``, ``numpy.random`` and, if it is loaded,
        PyTorch's) are set by it meanwhile, and then put back. By default from the operating system.

    Raises
    ------
    GeneratorError
        It is no generator, it failed, or what it returned is no table with the columns of
        ``table``.

    Examples
    --------
    >>> patients = wb.synthetic.patients()
    >>> wb.synthetic.generate(wb.synthetic.CopyingGenerator(0.1), patients, 100, seed=0).shape
    (100, 9)
    """
    table = table_of(table)
    n = len(table) if rows is None else rows_of(rows, "rows")
    check_generator(generator)
    first, second, program = (int(one) for one in _checks.random(seed).integers(2**31, size=3))
    try:
        with _program_seeded(program):
            if inspect.isclass(generator) or hasattr(generator, "fit"):
                made = _made(generator)
                _called(made.fit, (table,), {}, first)
                method = next(getattr(made, name) for name in METHODS if hasattr(made, name))
                found = _called(method, (), {SIZES: n}, second)
            else:
                found = _called(generator, (table,), {SIZES: n}, first)
    except GeneratorError:
        raise
    except Exception as error:  # whatever its parts raise
        raise GeneratorError(
            f"the generator failed on a table of {len(table):,} rows: "
            f"{type(error).__name__}: {error}"
        ) from error
    return _like(found, table)


def check_generator(generator: Any) -> None:
    """Nothing; a GeneratorError where something has no form that `generate` knows."""
    draws = any(hasattr(generator, name) for name in METHODS)
    is_function = callable(generator) and not inspect.isclass(generator)
    if not (draws if hasattr(generator, "fit") else is_function):
        raise GeneratorError(
            "generator must have fit(table) and sample(n), or be a function of a table that "
            f"returns a synthetic one; got {_checks.shown(generator)} ({type(generator).__name__})"
        )


def described(generator: Any) -> str:
    """A text by which a generator is known again: its name, or its representation."""
    if inspect.isclass(generator) or inspect.isroutine(generator):
        return f"{generator.__module__}.{generator.__qualname__}"
    kind = f"{type(generator).__module__}.{type(generator).__qualname__}"
    if is_dataclass(generator):
        given = [(one.name, getattr(generator, one.name)) for one in fields(generator) if one.init]
        return f"{kind}({', '.join(f'{name}={value!r}' for name, value in given)})"
    return kind if " at 0x" in repr(generator) else repr(generator)


def _made(generator: Any) -> Any:
    return generator() if inspect.isclass(generator) else copy.deepcopy(generator)


def _called(
    function: Callable[..., Any],
    positional: tuple[Any, ...],
    sizes: Mapping[tuple[str, ...], int],
    seed: int,
) -> Any:
    """A call that names what the function has names for; a size without a known name comes next."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of C, without a signature
        return function(*positional, *sizes.values())
    rest = list(known)[len(positional) :]
    named: dict[str, Any] = {}
    for names, value in sizes.items():
        name = next((one for one in names if one in rest), None)
        if name is not None:
            named[name] = value
        elif not positional:
            positional = (value,)
    for one in SEEDS:
        if one in rest:
            named[one] = np.random.default_rng(seed) if one == "rng" else seed
    return function(*positional, **named)


def _like(found: Any, table: pd.DataFrame) -> pd.DataFrame:
    """What a generator returned, as a table with the columns of its training table."""
    import pandas as pd

    for method in ("dataframe", "to_pandas"):  # of synthcity, and of polars and Arrow
        if not isinstance(found, pd.DataFrame) and hasattr(found, method):
            found = getattr(found, method)()
    if isinstance(found, Mapping):
        found = pd.DataFrame(found)
    if not isinstance(found, pd.DataFrame):
        raise GeneratorError(
            f"the generator returned {_checks.shown(found)} ({type(found).__name__}); it must "
            "return a pandas DataFrame"
        )
    if missing := [name for name in table.columns if name not in found.columns]:
        raise GeneratorError(
            f"the synthetic table has no column {_checks.shown(missing[0])}, only "
            f"{_checks.shown(list(found.columns))}"
        )
    if not len(found):
        raise GeneratorError("the synthetic table has no rows")
    return found[list(table.columns)].reset_index(drop=True)


@contextmanager
def _program_seeded(seed: int) -> Iterator[None]:
    """Context in which the generators that a program shares start from a seed."""
    torch: Any = sys.modules.get("torch")
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    torch_before = None if torch is None else torch.get_rng_state()
    try:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        if torch is not None:
            torch.manual_seed(seed)
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(torch_before)
