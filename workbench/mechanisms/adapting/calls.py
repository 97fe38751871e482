"""`CallForm`: which arguments a function takes; `Calls`: such a function, run many times."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np

from workbench.mechanisms.adapting.randomness import seeded

#: What an argument of a mechanism may be: the dataset, the number of runs, and a source of
#: randomness as a `numpy.random.Generator`, a `numpy.random.RandomState`, a `random.Random` or an
#: integer.
ROLES = ("dataset", "size", "rng", "random_state", "random", "seed")

#: Those of them that determine the randomness.
GENERATORS = ROLES[2:]

#: The call form of the gallery.
OWN = "dataset, size, rng"


@dataclass(frozen=True)
class Argument:
    """An argument of a call.

    Attributes
    ----------
    role : str
        One of `ROLES`.
    keyword : str, optional
        Its name; None if it is given by position.
    """

    role: str
    keyword: str | None = None

    def __str__(self) -> str:
        return self.role if self.keyword is None else f"{self.keyword}={self.role}"


@dataclass(frozen=True)
class CallForm:
    """The arguments with which a function is called.

    Attributes
    ----------
    arguments : tuple of Argument
    stream : bool
        Whether it is a generator function, which yields one output after another.
    """

    arguments: tuple[Argument, ...]
    stream: bool = False

    @classmethod
    def parse(cls, text: str, stream: bool = False) -> Self:
        """The form of a text such as ``"rng, dataset"`` or ``"dataset, n=size"``.

        Raises
        ------
        ValueError
            An unknown word, one that stands twice, no dataset, or a position after a keyword.
        """
        known = ", ".join(map(repr, ROLES))
        if not isinstance(text, str):
            raise ValueError(
                f"call must be a text such as {OWN!r}, which names the arguments in their order; "
                f"got {text!r}"
            )
        found = []
        for part in text.split(","):
            match = re.fullmatch(r"(?:\s*([^\W\d]\w*)\s*=)?\s*(\w+)\s*", part)
            if match is None or match[2] not in ROLES:
                raise ValueError(
                    f"call={text!r}: {part.strip()!r} is none of {known}, nor NAME=one of them"
                )
            found.append(Argument(match[2], match[1]))
        roles = [one.role for one in found]
        if len(set(roles)) < len(roles):
            raise ValueError(f"call={text!r} has an argument twice")
        if "dataset" not in roles:
            raise ValueError(f"call={text!r} has no dataset; write for instance {OWN!r}")
        named = [one.keyword is not None for one in found]
        if named != sorted(named):
            raise ValueError(f"call={text!r}: arguments with a name come last")
        return cls(tuple(found), stream)

    def __str__(self) -> str:
        return ", ".join(map(str, self.arguments))

    @property
    def roles(self) -> tuple[str, ...]:
        """What it is called with."""
        return tuple(one.role for one in self.arguments)

    @property
    def many(self) -> bool:
        """Whether one call makes all runs."""
        return "size" in self.roles

    @property
    def seeded(self) -> bool:
        """Whether its randomness is given to it."""
        return not set(GENERATORS).isdisjoint(self.roles)

    def in_words(self, name: str) -> str:
        """How a function is called: "f(dataset), once for each run"."""
        how = (
            "whose outputs are taken one after another"
            if self.stream
            else ("once for all runs" if self.many else "once for each run")
        )
        return f"{name}({self}), {how}"


@dataclass(frozen=True)
class Calls:
    """Outputs of many runs of a function that is called in some form.

    Attributes
    ----------
    function : callable or object
    form : CallForm
    method : str
        The method of the object that is called; "" for the function itself.
    convert : callable, optional
        Makes of a dataset what the function takes.
    pure : bool
        Whether the function is known not to change its dataset.
    random : bool
        Whether its randomness is Python's or numpy's: global generators, and those that it keeps,
        are then seeded.
    """

    function: Any
    form: CallForm
    method: str = ""
    convert: Callable[[Any], Any] | None = None
    pure: bool = False
    random: bool = True

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        if self.convert is not None:
            dataset = self.convert(dataset)
        if self.form.seeded or not self.random:
            return self._outputs(dataset, size, rng)
        with seeded(rng, self.function):
            return self._outputs(dataset, size, rng)

    def _outputs(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        function = getattr(self.function, self.method) if self.method else self.function
        sources = {role: _SOURCES[role](rng) for role in self.form.roles if role in _SOURCES}
        if self.form.many:
            args, named = self._arguments(dataset, size, rng, sources)
            outputs = function(*args, **named)
            return list(outputs) if isinstance(outputs, Iterator) else outputs
        if self.form.stream:
            return list(islice(self._stream(function, dataset, size, rng, sources), size))
        if self.form.roles == ("dataset",) and self.form.arguments[0].keyword is None:
            if self.pure or isinstance(dataset, str | bytes | int | float | bool | None):
                return [function(dataset) for _ in range(size)]
            if isinstance(dataset, np.ndarray):
                return [function(dataset.copy()) for _ in range(size)]
        outputs = []
        for _ in range(size):
            args, named = self._arguments(self._own(dataset), size, rng, sources)
            outputs.append(function(*args, **named))
        return outputs

    def _stream(
        self,
        function: Callable[..., Any],
        dataset: Any,
        size: int,
        rng: np.random.Generator,
        sources: dict[str, Any],
    ) -> Iterator[Any]:
        while True:
            args, named = self._arguments(self._own(dataset), size, rng, sources)
            found = False
            for one in function(*args, **named):
                found = True
                yield one
            if not found:
                return

    def _own(self, dataset: Any) -> Any:
        """A dataset that a run may change without a trace in the next one."""
        if self.pure:
            return dataset
        return dataset.copy() if isinstance(dataset, np.ndarray) else copy.deepcopy(dataset)

    def _arguments(
        self, dataset: Any, size: int, rng: np.random.Generator, sources: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        named: dict[str, Any] = {}
        for one in self.form.arguments:
            value: Any
            match one.role:
                case "dataset":
                    value = dataset
                case "size":
                    value = size
                case "rng":
                    value = rng
                case "seed":
                    value = int(rng.integers(2**32))
                case _:
                    value = sources[one.role]
            if one.keyword is None:
                args.append(value)
            else:
                named[one.keyword] = value
        return args, named


#: Sources of randomness that are made once for all runs of a call.
_SOURCES: dict[str, Callable[[np.random.Generator], Any]] = {
    "random_state": lambda rng: np.random.RandomState(int(rng.integers(2**32))),
    "random": lambda rng: random.Random(int(rng.integers(2**63))),
}


def as_list(dataset: Any) -> Any:
    """An array as a list of Python's numbers; other datasets as they are."""
    return dataset.tolist() if isinstance(dataset, np.ndarray) else dataset
