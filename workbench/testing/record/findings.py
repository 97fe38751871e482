"""What a recording found: `CodeFinding`, `RecordedPrimitive`, and `RecordCheck`, which has both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from workbench import _checks, _markup
from workbench._format import plain
from workbench.claims.base import Claim
from workbench.testing.record.places import Place

if TYPE_CHECKING:
    import pandas as pd

#: Kinds of findings, with what each says.
KINDS = {
    "sensitivity": "a value moves further than its primitive states",
    "control flow": "which primitives are called depends on the data",
    "output": "data reach the output without noise",
    "scale": "the size of noise depends on the data",
    "no noise": "noise of scale 0 is added",
    "noise reused": "one noise is added to several values",
    "budget": "the primitives together cost more than the claim",
    "varying scale": "the size of noise depends on another noisy value",
    "bounds": "the ends of a clip depend on the data",
    "randomness": "something random was not recorded",
    "sampling": "batches are not those of the claim",
    "divisor": "what a noisy sum is divided by depends on the data",
}


@dataclass(frozen=True)
class CodeFinding:
    """A place where the code differs from what its privacy rests on.

    Attributes
    ----------
    kind : str
        Among `KINDS`.
    certain : bool
        Whether the sentence is a fact of the recorded runs: no statistics, no assumption but that
        the data sets are neighbors. Otherwise it is an indication.
    refutes : bool
        Whether it proves that the claim is false.
    place : Place
        File and line.
    words : str
        What was found, with numbers.
    """

    kind: str
    certain: bool
    refutes: bool
    place: Place
    words: str

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.kind, "kind", tuple(KINDS))

    @property
    def label(self) -> str:
        """How sure it is: "certain, refutes the claim", "certain" or "indication"."""
        if not self.certain:
            return "indication"
        return "certain, refutes the claim" if self.refutes else "certain"

    def __str__(self) -> str:
        return f"{self.place.short} ({self.label}): {self.words}"


@dataclass(frozen=True)
class RecordedPrimitive:
    """One primitive in the code, with what was recorded of it on both data sets.

    Attributes
    ----------
    kind : str
        "noise", "choice", "sample", "clip" or "count".
    name : str
        The function or the law of the noise.
    place : Place
    calls : int
        On the data set, in one run.
    scale : float or None
        The smallest scale of the noise.
    declared : float or None
        The sensitivity that the call states.
    measured : float or None
        The largest distance between the two values before noise; a lower limit of the
        sensitivity. In L1 for Laplace noise, in L2 for Gaussian noise.
    epsilon, mu : float or None
        What releasing the noisy values of one run costs on these two data sets.
    """

    kind: str
    name: str
    place: Place
    calls: int
    scale: float | None = None
    declared: float | None = None
    measured: float | None = None
    epsilon: float | None = None
    mu: float | None = None

    def __post_init__(self) -> None:
        _checks.fields(self)


@dataclass(frozen=True)
class RecordCheck:
    """What recordings of a mechanism on two neighboring data sets show.

    Attributes
    ----------
    name : str
        Of the mechanism.
    claim : Claim or None
    findings : tuple of CodeFinding
        Certain ones first.
    primitives : tuple of RecordedPrimitive
    runs : int
        Recorded runs on the data set, each replayed on the neighbor.
    untrusted : tuple of Place
        Random choices that only statistics can judge.
    """

    name: str
    claim: Claim | None
    findings: tuple[CodeFinding, ...]
    primitives: tuple[RecordedPrimitive, ...]
    runs: int
    untrusted: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def certain(self) -> tuple[CodeFinding, ...]:
        """The findings that are certain."""
        return tuple(one for one in self.findings if one.certain)

    @property
    def refuted(self) -> bool:
        """Whether a finding proves that the claim is false."""
        return any(one.refutes for one in self.findings)

    @property
    def epsilon(self) -> float:
        """Sum of the ε of all values with Laplace noise, each the most that a run measured."""
        return float(sum(one.epsilon or 0.0 for one in self.primitives))

    @property
    def mu(self) -> float:
        """The μ of all values with Gaussian noise together, each the most that a run measured."""
        return float(sum((one.mu or 0.0) ** 2 for one in self.primitives) ** 0.5)

    def in_words(self) -> str:
        """The findings, one in each line, and what remains to be tested."""
        lines = [str(one) for one in self.findings]
        head = f"{self.name}: {_number(len(self.certain), 'certain finding')}"
        others = len(self.findings) - len(self.certain)
        head += f", {_number(others, 'indication')}" if others else ""
        if self.untrusted:
            places = ", ".join(dict.fromkeys(place.short for place in self.untrusted))
            lines.append(
                f"Left to statistics: the random choices of {places}; see record.audit_untrusted."
            )
        if not self.findings:
            lines.append(
                "Nothing was found on these two data sets, which does not show that the mechanism "
                "is private."
            )
        return "\n".join([f"{head}.", *lines])

    def __str__(self) -> str:
        return self.in_words()

    def to_dict(self) -> dict[str, Any]:
        """Plain values: texts, numbers, lists and None."""
        return {
            "name": self.name,
            "claim": None if self.claim is None else str(self.claim),
            "runs": self.runs,
            "findings": [{**asdict(one), "label": one.label} for one in self.findings],
            "primitives": [asdict(one) for one in self.primitives],
            "untrusted": [asdict(one) for one in self.untrusted],
        }

    def to_frame(self) -> pd.DataFrame:
        """A row for each finding: kind, certain, refutes, file, line, function, words."""
        import pandas as pd

        columns = ["kind", "certain", "refutes", "file", "line", "function", "words"]
        rows = [
            [x.kind, x.certain, x.refutes, x.place.file, x.place.line, x.place.function, x.words]
            for x in self.findings
        ]
        return pd.DataFrame(rows, columns=columns)

    def primitives_frame(self) -> pd.DataFrame:
        """A row for each primitive: where it is, and declared and measured numbers."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "kind": one.kind,
                    "name": one.name,
                    "place": one.place.short,
                    "calls": one.calls,
                    "scale": one.scale,
                    "declared": one.declared,
                    "measured": one.measured,
                    "epsilon": one.epsilon,
                    "mu": one.mu,
                }
                for one in self.primitives
            ]
        )

    def _repr_html_(self) -> str:
        rows = [(one.place.short, one.label, one.words) for one in self.findings]
        for one in self.primitives:
            rows.append((one.place.short, one.name, _numbers(one)))
        return _markup.table(
            self.in_words().split("\n")[0],
            rows,
            "Certain: a fact of the recorded runs, given that the data sets are neighbors. "
            "Measured distances are lower limits of sensitivities.",
        )


def _numbers(one: RecordedPrimitive) -> str:
    parts = [f"{one.calls} × " if one.calls != 1 else ""]
    known = {
        "scale": one.scale,
        "declared": one.declared,
        "measured": one.measured,
        "ε": one.epsilon,
        "μ": one.mu,
    }
    parts.append(", ".join(f"{name} {plain(x)}" for name, x in known.items() if x is not None))
    return "".join(parts)


def _number(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
