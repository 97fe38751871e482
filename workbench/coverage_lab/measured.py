"""Stored coverage of the shipped methods, and whether the present code gives the same values.

``data/make_coverage.py`` (`make coverage`) measures anew and writes three files in ``data``:
simulated coverage of the methods (`FILE`), exact levels (`EXACT_FILE`), and simulated coverage of
what is not a bound from two samples (`CASES_FILE`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import _json
from workbench._format import percent, round_safely
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.onerun.bound import METHODS as ONE_RUN_METHODS
from workbench.scores.examples import data_folder

if TYPE_CHECKING:
    import pandas as pd

FILE = "coverage.json"
EXACT_FILE = "coverage_exact.json"
CASES_FILE = "coverage_cases.json"

#: Method of the lab -> methods whose exact levels are computed that are the same function.
_EXACT_OF = {
    "simultaneous": ("simultaneous",),
    "one-question": ("one-question",),
    "one-question-mu": ("one-question",),
    "exact": ("exact", "one-question, yes or no"),
    "clopper-pearson": ("clopper-pearson",),
    "held-out": ("held-out",),
}

#: `Bound.method` of other bounds -> methods whose exact levels are computed.
_EXACT_OF_SOURCE = {
    "limits for all records": "table",
    **{method.label: name for name, method in ONE_RUN_METHODS.items()},
}

#: `Bound.method` of bounds of score tables -> the method in the cases of tables.
_OF_TABLES = {
    "limits for all records": "simultaneous",
    "held-out records": "held-out",
    "held-out guesses": "held-out",
    "e-values of records": "e-values",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """Stored results of `workbench.coverage`, and exact levels.

    Attributes
    ----------
    version : str
        Version of the workbench that was measured.
    records : sequence of mapping
        `Coverage.to_dict` of every method in every scenario and size.
    probes : mapping
        What each method gave on fixed data; see `workbench.coverage_lab.probes`.
    exact : sequence of mapping
        Settings and levels of `workbench.coverage_lab.exact.settings`.
    cases : sequence of mapping
        `CaseResult.to_dict` of every method in every case of `workbench.coverage_lab.cases`.
    """

    version: str
    records: Sequence[Mapping[str, Any]]
    probes: Mapping[str, Sequence[float]] = field(default_factory=dict)
    exact: Sequence[Mapping[str, Any]] = ()
    cases: Sequence[Mapping[str, Any]] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row per record."""
        import pandas as pd

        return pd.DataFrame(list(self.records))

    def stale(self, subjects: Iterable[str]) -> list[str]:
        """Subjects that give other values now than when they were measured.

        Parameters
        ----------
        subjects : iterable of str
            Keys of `workbench.coverage_lab.probes.PROBES`.
        """
        from workbench.coverage_lab.probes import probe, same_values

        return [
            name
            for name in subjects
            if name not in self.probes or not same_values(self.probes[name], probe(name))
        ]

    def largest_levels(self) -> dict[str, Mapping[str, Any]]:
        """The row with the largest exact level of each method that has some."""
        found: dict[str, Mapping[str, Any]] = {}
        for row in self.exact:
            if row["method"] not in found or row["level"] > found[row["method"]]["level"]:
                found[row["method"]] = row
        return found

    def levels(self) -> list[tuple[str, int, str, str]]:
        """Exact levels, a row for each method: label, settings, largest level, where it is."""
        number = Counter(row["method"] for row in self.exact)
        return [
            (
                _LABELS.get(name, name),
                number[name],
                f"{round_safely(100 * row['level'], 'up', 2)}%",
                _where(row),
            )
            for name, row in self.largest_levels().items()
        ]

    @cache  # noqa: B019  (there is one, for good)
    def sentence(self, source: str) -> str:
        """Sentence about the coverage of a method: exact levels, and simulations.

        Parameters
        ----------
        source : str
            As in `Bound.method`.

        Returns
        -------
        str
            Empty where the method was not measured.
        """
        own = [r for r in self.records if r["source"] == source and _telling(r)]
        methods = dict.fromkeys(r["method"] for r in own)
        names = {name for method in methods for name in _EXACT_OF.get(method, ())}
        if source in _EXACT_OF_SOURCE:
            names.add(_EXACT_OF_SOURCE[source])
        of_tables = [
            r
            for r in self.cases
            if r["case"].startswith("table, ") and r["method"] == _OF_TABLES.get(source)
        ]
        said = (self._exactly(names), self._simulated(own), self._of_tables(of_tables))
        return " ".join(filter(None, said))

    def _exactly(self, names: Iterable[str]) -> str:
        rows = [row for row in self.exact if row["method"] in names]
        if not rows:
            return ""
        level = round_safely(100 * max(row["level"] for row in rows), "up", 2)
        return (
            f"Summed over all likely data sets of {len(rows)} settings, it claims too much with a "
            f"probability of at most {level}% at 95% confidence."
        )

    def _simulated(self, own: Sequence[Mapping[str, Any]]) -> str:
        claiming = [r for r in own if r["claims"]]
        shown = claiming or own
        if not shown:
            return ""
        worst = max(shown, key=lambda r: r["rate"])
        allowed = percent(1 - worst["confidence"])
        scenarios = len({r["scenario"] for r in shown})
        return (
            self._in_simulation(f"{scenarios} scenarios", worst, {r["method"] for r in shown})
            + f"; {allowed} {'are allowed' if claiming else 'is what it states'}."
        )

    def _of_tables(self, rows: Sequence[Mapping[str, Any]]) -> str:
        if not rows:
            return ""
        worst = max(rows, key=lambda r: r["rate"])
        said = self._in_simulation(f"{len(rows)} kinds of score tables", worst, ["score tables"])
        return f"{said}; 5% are allowed."

    def _in_simulation(self, what: str, worst: Mapping[str, Any], subjects: Iterable[str]) -> str:
        code = f"version {self.version}"
        if self.stale(subjects):
            code += ", before the latest changes"
        share = round_safely(100 * worst["rate"], "up", 2)
        return (
            f"In simulation ({what}, {worst['reps']:,} replicates each, {code}) it claimed too "
            f"much in at most {share}% of the replicates"
        )


@cache
def measured() -> Measured:
    """The results in the files of ``data``."""
    stored, exact, cases = (_read(name) for name in (FILE, EXACT_FILE, CASES_FILE))
    probes = {**stored.get("probes", {}), **cases.get("probes", {})}
    return Measured(
        stored["version"], tuple(stored["records"]), probes, exact["rows"], cases["rows"]
    )


def store(name: str, folder: Path, version: str, **content: Any) -> None:
    """Write results to a file that `measured` reads.

    Parameters
    ----------
    name : str
        `FILE`, `EXACT_FILE` or `CASES_FILE`.
    folder : Path
        Where the file is written.
    version : str
        Version of the workbench.
    **content : Any
        Lists of results, and probes.
    """
    text = _json.dumps({"version": version, **content}, indent=1)
    (folder / name).write_text(text + "\n", encoding="utf-8")


def rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with six digits of each number."""
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in record.items()}


#: Labels of methods whose exact levels are stored.
_LABELS = {
    **{name: method.label for name, method in METHODS.items()},
    **{name: method.label for name, method in ONE_RUN_METHODS.items()},
    "one-question": "One question",
    "one-question, yes or no": "One question, yes/no attack",
    "held-out": "Held-out thresholds, at the worst ranks",
    "table": "All records of a score table",
}


def _where(row: Mapping[str, Any]) -> str:
    """The setting of a level, in words."""
    units = {"table": ("models", "records"), "guesses": ("canaries", "guesses")}
    if row["kind"] in units:
        first, second = units[row["kind"]]
        sizes = f"{row['n_p']} {first}, {row['n_q']} {second}"
    else:
        sizes = f"{row['n_p']} + {row['n_q']} scores"
    truth = f" of {row['truth']:g}" if row["truth"] else ", nothing leaks"
    return f"{row['question']}{truth}; {sizes}, {row['kind']}: {row['at']}"


def _read(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = _json.loads((data_folder() / name).read_text(encoding="utf-8"))
    return stored


def _telling(record: Mapping[str, Any]) -> bool:
    """Whether a record is about a method used as intended."""
    method, scenario = METHODS.get(record["method"]), SCENARIOS.get(record["scenario"])
    return (
        method is not None and method.group != "fails" and bool(scenario and scenario.independent)
    )
