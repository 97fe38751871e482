"""Odd arguments: every public call ends in a result, a ValueError or a TypeError.

python -m benchmarks.odd_calls --calls 10000 --seed 0

Valid calls (see `benchmarks._valid_calls`), constructors of all records among them, get one or two
arguments replaced by something odd: text, NaN, huge integers, tables, dates, objects of other
classes, classes, functions, iterators, and sequences and arrays that lie about themselves. What
comes of it is shown, compared and asked for all its attributes and answers. Calls run in a process
of their own, with limits on time and memory. A bound whose value is NaN is a fault, too. The exit
status is 1 if anything but a result, a ValueError or a TypeError came.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import decimal
import fractions
import inspect
import logging
import math
import multiprocessing
import operator
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import workbench as wb
from benchmarks import _valid_calls as valid

#: CPU seconds that a call may take, and seconds by the clock after which it is killed: a machine
#: may be busy.
LIMIT, PATIENCE = 10.0, 120.0

#: Bytes that a call may allocate.
MEMORY = 2**30

#: Share of the calls with two odd arguments instead of one.
TWO = 0.3

HUGE = 10**400


class TheirError(ValueError):
    """What the code of a caller raises; it is passed on."""


class Long:
    """A sequence of a stated length, which it may not have."""

    def __init__(self, length: int, has: float = math.inf) -> None:
        self.length, self.has = length, has

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> float:
        if index < self.has:
            return 0.5
        raise IndexError(index)


class Array:
    """What numpy makes an array of, by the caller's code."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.made()


class AFloat(float):
    """A number of the caller's class."""


class AText(str):
    """A text of the caller's class."""

    __slots__ = ()


def raising(*_: Any, **__: Any) -> Any:
    """A function, or an array, that raises."""
    raise TheirError("theirs")


def in_the_middle() -> Iterator[float]:
    """Numbers that end in an error."""
    yield 0.5
    raising()


#: Odd values by how they are shown; made afresh, since some are used up.
ODD: dict[str, Callable[[], Any]] = {
    **{
        text: lambda value=value: value  # type: ignore[misc]
        for text, value in {
            "None": None,
            "True": True,
            "False": False,
            "-1": -1,
            "0": 0,
            "1": 1,
            "2": 2,
            "10**9": 10**9,
            "2**53": 2**53,
            "2**63": 2**63,
            "10**25": 10**25,
            "10**400": HUGE,
            "-10**400": -HUGE,
            "0.5": 0.5,
            "0.97": 0.97,
            "-0.5": -0.5,
            "1.5": 1.5,
            "1e308": 1e308,
            "5e-324": 5e-324,
            "1e-12": 1e-12,
            "nan": math.nan,
            "inf": math.inf,
            "-inf": -math.inf,
            "1+2j": 1 + 2j,
            "''": "",
            "'text'": "text",
            "'0.5'": "0.5",
            "'x' * 5000": "x" * 5000,
            "b'bytes'": b"bytes",
            "()": (),
            "(0, 1)": (0, 1),
            "(1, 2, 3)": (1, 2, 3),
            "...": ...,
            "int": int,
            "Decimal('0.5')": decimal.Decimal("0.5"),
            "Decimal('NaN')": decimal.Decimal("NaN"),
            "Decimal('sNaN')": decimal.Decimal("sNaN"),
            "Fraction(1, 3)": fractions.Fraction(1, 3),
            "Fraction(10**400, 3)": fractions.Fraction(HUGE, 3),
            "date": datetime.date(2020, 1, 2),
            "np.datetime64": np.datetime64("2020-01-02"),
            "np.timedelta64": np.timedelta64(5, "D"),
            "np.float32(0.5)": np.float32(0.5),
            "np.int8(3)": np.int8(3),
            "np.bool(True)": np.bool_(True),
            "pd.NA": pd.NA,
            "pd.NaT": pd.NaT,
            "pd.Timestamp": pd.Timestamp("2020-01-02"),
        }.items()
    },
    "[]": list,
    "[[]]": lambda: [[]],
    "[1, 2, 3]": lambda: [1, 2, 3],
    "[0.2, 0.9]": lambda: [0.2, 0.9],
    "[1, [2]]": lambda: [1, [2]],
    "[10**400, 1]": lambda: [HUGE, 1],
    "[nan, nan]": lambda: [math.nan, math.nan],
    "[inf, -inf]": lambda: [math.inf, -math.inf],
    "[None, 1]": lambda: [None, 1],
    "['a', 'b']": lambda: ["a", "b"],
    "[1+1j]": lambda: [1 + 1j],
    "{}": dict,
    "{'a': 1}": lambda: {"a": 1},
    "{1: nan}": lambda: {1: math.nan},
    "set()": set,
    "{1, 2}": lambda: {1, 2},
    "iter([1, 2])": lambda: iter([1, 2]),
    "range(3)": lambda: range(3),
    "object()": object,
    "lambda: None": lambda: lambda: None,
    "lambda *x: x": lambda: lambda *x: x,
    "np.array(0.5)": lambda: np.array(0.5),
    "np.array(nan)": lambda: np.array(math.nan),
    "np.array([])": lambda: np.array([]),
    "np.array([nan, 1])": lambda: np.array([math.nan, 1.0]),
    "np.array(['a'])": lambda: np.array(["a"]),
    "np.array([None, 1])": lambda: np.array([None, 1], dtype=object),
    "np.array([10**400, 1])": lambda: np.array([HUGE, 1], dtype=object),
    "np.zeros((2, 2))": lambda: np.zeros((2, 2)),
    "np.zeros((0, 3))": lambda: np.zeros((0, 3)),
    "np.array([1+1j])": lambda: np.array([1 + 1j, 2]),
    "array of dates": lambda: np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
    "array of times": lambda: np.array([1, 2], "timedelta64[D]"),
    "denormal scores": lambda: np.array([5e-324, 1e-323, 1.5e-323]),
    "scores near 1e308": lambda: np.array([-1.7e308, 1.7e308, 1e308]),
    "pd.Series": lambda: pd.Series([0.5, 1.5]),
    "DataFrame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
    "empty DataFrame": pd.DataFrame,
    "Scores": valid.scores,
    "denormal Scores": lambda: wb.Scores(
        5e-324 * (np.arange(50) % 5), 5e-324 * (np.arange(50) % 3)
    ),
    "infinite Scores": lambda: wb.Scores([math.inf, math.inf], [-math.inf, math.nan]),
    "wide Scores": lambda: wb.Scores(1.7e308 * np.linspace(-1, 1, 50), np.linspace(-1, 1, 50)),
    "Scores with ties": lambda: wb.Scores([1, 1, 1, 0], [0, 0, 1, 0]),
    "band": valid.band,
    "Bound": valid.OBJECTS["Bound"],
    "Counts": valid.counts,
    "Counts(0, 0, 1, 1)": lambda: wb.Counts(tp=0, fp=0, tn=1, fn=1),
    "Histogram": valid.OBJECTS["Histogram"],
    "GaussianPair": valid.OBJECTS["GaussianPair"],
    "RenyiPair": valid.OBJECTS["RenyiPair"],
    "GDP": valid.OBJECTS["GDP"],
    "NegativeBinomial": valid.runs,
    "OneRun": valid.one_run,
    "Verdict": valid.OBJECTS["Verdict"],
    "Mechanism": valid.OBJECTS["Mechanism"],
    "Auditor": valid.OBJECTS["Auditor"],
    "ScoreTable": valid.score_table,
    "LabeledData": valid.labeled_data,
    "Path": lambda: Path("nowhere"),
    "'.'": lambda: ".",
    "'\\0'": lambda: "\0",
    "Generator": np.random.default_rng,
    "RandomState": lambda: np.random.RandomState(0),
    "range(10**9)": lambda: range(10**9),
    "range(10**30)": lambda: range(10**30),
    "10**6 numbers": lambda: (x / 7 for x in range(10**6)),
    "10**9 long": lambda: Long(10**9),
    "2**62 long": lambda: Long(2**62),
    "shorter than it says": lambda: Long(3, 1),
    "length below 0": lambda: Long(-1),
    "raises in the middle": in_the_middle,
    "__array__ raises": lambda: Array(raising),
    "__array__ of texts": lambda: Array(lambda: np.array(["a", "b"])),
    "__array__ of numbers": lambda: Array(lambda: np.array([0.5, 1.5])),
    "__array__ of no array": lambda: Array(lambda: 3),
    "AFloat(0.5)": lambda: AFloat(0.5),
    "AText('text')": lambda: AText("text"),
    "masked": lambda: np.ma.masked_array([0.5, 1.5], [False, True]),
    "np.ma.masked": lambda: np.ma.masked,
    "structured": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "np.zeros((2, 2, 2))": lambda: np.zeros((2, 2, 2)),
    "-1s": lambda: np.full(5, -1),
    "lambda: 1": lambda: lambda: 1,
    "lambda x: x": lambda: lambda x: x,
    "lambda x: 'text'": lambda: lambda x: "text",
    "raising": lambda: raising,
    "Scores by name": lambda: type("Scores", (), {})(),
    "GaussianPair by name": lambda: type("GaussianPair", (), {"name": "pair"})(),
    "class GaussianPair": lambda: wb.GaussianPair,
    "class GDP": lambda: wb.GDP,
    "class Scores": lambda: wb.Scores,
    "abstract Pair": lambda: wb.Pair,
    "module": lambda: math,
}

ENDS = ("result", "ValueError", "TypeError", "OSError", "other", "hang", "memory")

#: Ends that are no fault; a file that is not there is the system's to tell.
GOOD = ("result", "ValueError", "TypeError", "OSError")

#: Parameters that name files.
FILES = ("path", "path_q", "source", "scores", "run", "a", "b", "folder", "database")

#: Answers that are left: those that show windows, wait, or train for minutes.
LEFT: tuple[Any, ...] = ("show", "plot", ("PositiveControl", "verdict"))

VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class OddCall:
    """A valid call of which some arguments are odd: parameter -> name of the odd value."""

    name: str
    odd: tuple[tuple[str, str], ...]
    variant: int = 0
    then: int = 0

    def __str__(self) -> str:
        variant = by_name()[self.name].variants[self.variant]
        as_well = (f"{name}={value!r:.30}" for name, value in variant.items())
        said = (*(f"{name}={value}" for name, value in self.odd), *as_well)
        return f"{self.name}({', '.join(said)})"


@dataclass(frozen=True)
class Outcome:
    """How a call ended."""

    call: OddCall
    end: str
    said: str = ""


class Late(BaseException):
    """The call takes too long."""


@cache
def by_name() -> dict[str, valid.Call]:
    return {call.name: call for call in valid.calls()}


def drawn(count: int, seed: int) -> Iterator[OddCall]:
    """So many odd calls; the same for the same seed."""
    rng = np.random.default_rng(seed)
    takers = [call for call in valid.calls() if call.parameters]
    # Methods are many, and much alike.
    weights = np.array([1.0 if "." in call.name else len(call.parameters) for call in takers])
    weights /= weights.sum()
    values = list(ODD)
    for _ in range(count):
        call = takers[rng.choice(len(takers), p=weights)]
        size = min(len(call.parameters), 1 + int(rng.random() < TWO))
        names = rng.choice(len(call.parameters), size, replace=False)
        odd = ((call.parameters[k], values[rng.integers(len(values))]) for k in sorted(names))
        variant, then = (int(rng.integers(k)) for k in (len(call.variants), 99))
        yield OddCall(call.name, tuple(odd), variant, then)


def ended(odd_call: OddCall) -> Outcome:
    """How it ends, in this process, which `prepare` has prepared."""
    call = by_name()[odd_call.name]
    arguments = call.arguments(odd_call.variant) | {
        name: ODD[value]() for name, value in odd_call.odd
    }
    function = call.function()
    try:
        with limits():
            result = function(**arguments)
        answers = asked_of(result, odd_call.then)
        if any(math.isnan(number) for number in claimed((result, *answers))):
            return Outcome(odd_call, "other", f"a bound of NaN: {result!r:.150}")
    except Late:
        return Outcome(odd_call, "hang", f"longer than {LIMIT:g} s of CPU")
    except MemoryError as error:
        return Outcome(odd_call, "memory", str(error)[:200])
    except (ValueError, TypeError) as error:
        end = "ValueError" if isinstance(error, ValueError) else "TypeError"
        return Outcome(odd_call, end, f"{type(error).__name__}: {error}")
    except OSError as error:
        end = "OSError" if any(name in FILES for name, _ in odd_call.odd) else "other"
        return Outcome(odd_call, end, repr(error)[:200])
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = next((f for f in reversed(frames) if "workbench" in f.filename), frames[-1])
        place = f"{Path(where.filename).name}:{where.lineno}"
        return Outcome(odd_call, "other", f"{type(error).__name__}: {error!s:.150} at {place}")
    return Outcome(odd_call, "result")


@contextmanager
def limits() -> Iterator[None]:
    """On time and memory of what is done within."""
    resource.setrlimit(resource.RLIMIT_DATA, (in_use() + MEMORY, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def in_use() -> int:
    """Bytes of data of this process, as the limit counts them."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmData:")[2].split()[0]) * 1024


class UnshownError(Exception):
    """A result that cannot be shown, or that fails where it is looked at."""


def asked_of(result: Any, which: int) -> list[Any]:
    """What a result, or each of several, says of itself.

    Any result can be shown, which a ValueError spoils as well. Comparison, attributes and methods
    that need no argument may end in a ValueError or a TypeError, and so may one method that needs
    arguments, asked validly.
    """
    answers = []
    for one in several(result):
        kind = type(one)
        for shown in (repr, str, getattr(kind, "_repr_html_", None)):
            if shown is not None:
                asked(one, shown.__name__, lambda shown=shown, one=one: shown(one), ())
        asked(one, "==", lambda one=one: one == one)
        for name in dir(kind):
            if name.startswith("_") or (kind.__name__, name) in LEFT or name in LEFT:
                continue
            found = inspect.getattr_static(kind, name)
            if inspect.isfunction(found):
                needed = list(inspect.signature(found).parameters.values())[1:]
                if any(p.default is p.empty and p.kind not in VARIABLE for p in needed):
                    continue
                answers.append(asked(one, name, lambda one=one, name=name: getattr(one, name)()))
            elif not isinstance(found, classmethod | staticmethod):
                answers.append(asked(one, name, lambda one=one, name=name: getattr(one, name)))
        methods = [c for c in by_name().values() if c.name.startswith(f"{kind.__name__}.")]
        if methods and kind.__name__ in valid.OBJECTS:
            method = methods[which % len(methods)]
            name = method.name.partition(".")[2]
            with suppress(ValueError, TypeError):  # such as of arguments that it does not go with
                arguments = method.arguments()
                ask = partial(operator.attrgetter(name)(one), **arguments)
                answers.append(asked(one, f"{name}, with arguments,", ask))
    return answers


def several(result: Any) -> list[Any]:
    """The objects of the library in a result."""
    if isinstance(result, tuple | list):
        return [one for part in result[:3] for one in several(part)]
    if isinstance(result, dict):
        return several([*result.values()][:3])
    return [result] if type(result).__module__.startswith("workbench") else []


def asked(
    one: Any, what: str, ask: Callable[[], Any], allowed: Any = (ValueError, TypeError)
) -> Any:
    """An answer; None where it is refused as it may be."""
    try:
        with limits():
            return ask()
    except allowed:
        return None
    except Late:
        raise
    except BaseException as error:
        raise UnshownError(
            f"{what} of the {type(one).__name__} fails: {type(error).__name__}: {error!s:.100}"
        ).with_traceback(error.__traceback__) from None


def claimed(result: Any) -> Iterator[float]:
    """The values of all bounds in a result, and of evidence."""
    if isinstance(result, wb.Bound):
        yield from (
            float(result.value),
            float(result.value if result.high is None else result.high),
        )
    elif isinstance(result, wb.EValue):
        yield float(result.log)
    elif isinstance(result, tuple | list):
        for part in result:
            yield from claimed(part)
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        for field in dataclasses.fields(result):
            part = getattr(result, field.name, None)
            if isinstance(part, wb.Bound | tuple):
                yield from claimed(part)


def prepare() -> None:
    """Limits, silence, and a folder that may be written to."""

    def late(*_: Any) -> None:
        raise Late

    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 (widgets print themselves)
    warnings.simplefilter("ignore")
    logging.disable()
    os.chdir(tempfile.mkdtemp(dir=os.environ["ODD_CALLS"]))
    valid.audited().save("loaded.json")


def serve(connection: Any) -> None:
    """In the process of the calls."""
    prepare()
    connection.send(None)
    while True:
        try:
            call = connection.recv()
        except EOFError:
            return
        connection.send(ended(call))


class Calls:
    """A process that makes calls, and is replaced when it does not come back."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory()
        os.environ["ODD_CALLS"] = self._folder.name
        os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others reserve more than allowed
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(theirs,))
        self._process.start()
        theirs.close()
        self._pipe.recv()

    def end_of(self, call: OddCall) -> Outcome:
        """How the call ends."""
        self._pipe.send(call)
        try:
            if self._pipe.poll(PATIENCE):
                outcome: Outcome = self._pipe.recv()
                return outcome
            said = "does not hear signals"
        except EOFError:
            self._process.join()
            said = f"the process ended with {self._process.exitcode}"
        self._stop()
        self._start()
        return Outcome(call, "hang" if "hear" in said else "other", said)

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, *_: Any) -> None:
        self._pipe.close()  # on which it ends
        self._process.join(LIMIT)
        self._stop()
        self._folder.cleanup()


def outcomes(count: int, seed: int) -> Iterator[Outcome]:
    """How so many odd calls end."""
    with Calls() as calls:
        yield from map(calls.end_of, drawn(count, seed))


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    found = Counter(outcome.end for outcome in outcomes(2000, 0))
    faults = sum(found[end] for end in ENDS if end not in GOOD)
    return [("odd calls of 2,000 that end otherwise", f"{faults}", "0")]


def command(arguments: list[str]) -> int:
    """As of the shell; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", action="store_true", help="print every call, not only faults")
    asked = parser.parse_args(arguments)
    found: Counter[str] = Counter()
    for outcome in outcomes(asked.calls, asked.seed):
        found[outcome.end] += 1
        if asked.every or outcome.end not in GOOD:
            print(f"{outcome.end}: {outcome.call}: {outcome.said}", flush=True)
    print(f"{asked.calls} calls, seed {asked.seed}:")
    for end in ENDS:
        print(f"{found[end]:7}  {end}")
    return int(any(found[end] for end in ENDS if end not in GOOD))


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
