"""`generator_runs`: a generator run many times, with and without records, as trainings are."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.progress import Report, silent
from workbench.scores.layouts.folders import RUN_ABOUT
from workbench.scores.sample import Scores
from workbench.synthetic.attacks.base import Attack
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.synthetic.generators.columns_of_table import TableColumns
from workbench.synthetic.generators.duck_typing import (
    Generator,
    check_generator,
    described,
    generate,
)
from workbench.synthetic.generators.refusals import GeneratorError, rows_of, table_of
from workbench.synthetic.generators.targets import Targets
from workbench.tables.table import ScoreTable
from workbench.testers.running.portable import pickled, unpickled
from workbench.training.audits.rows import Rows
from workbench.training.audits.scored_models import ScoredModels
from workbench.training.runs.folder import GENERATOR
from workbench.training.runs.plan import RunPlan
from workbench.training.runs.run import ScoredRun, run_plan
from workbench.training.runs.toml_text import to_toml

#: Runs of a generator, at most.
MOST_RUNS = 1_000_000


@dataclass(frozen=True, eq=False)
class GeneratorRuns(ScoredModels):
    """Runs of a generator on a table, each with and without some of its records.

    With one target, runs of even index have it in. With several, each is in by its own fair coin in
    each run. All other records are always in. A run is fitted and drawn from anew, with chance of
    its own, and its scores are those of an attack that sees the synthetic table and all records,
    but none of the coins.
    """

    maker: Any
    table: pd.DataFrame
    targets: NDArray[np.intp]
    models: int
    rows: int
    attack: Attack
    columns: TableColumns
    single: bool
    reason: NDArray[Any] | None = None

    kind: ClassVar[str] = GENERATOR
    title: ClassVar[str] = "Runs of a generator"
    about: ClassVar[str] = "What do synthetic tables of many runs reveal about some records?"
    sampling: ClassVar[str] = "independent runs"
    larger_is_member: ClassVar[bool] = True
    least_models: ClassVar[int] = 4

    @property
    def name(self) -> str:
        """For titles."""
        what = getattr(self.maker, "__name__", type(self.maker).__name__)
        return f"{self.models:,} runs of {what}, {self.attack.label}"

    @property
    def subjects(self) -> int:
        """Number of targets."""
        return self.targets.size

    @property
    def parameters(self) -> dict[str, Any]:
        """What a run that is continued must have again."""
        return {
            "kind": self.kind,
            "generator": described(self.maker),
            "attack": self.attack.name,
            "columns": {str(name): kind for name, kind in self.columns.kinds.items()},
            "targets": self.targets.tolist(),
            "single": self.single,
            "rows": self.rows,
            "models": self.models,
        }

    @property
    def data_sha256(self) -> str:
        """Hash of the table."""
        return hashlib.sha256(self.table.to_csv(index=False).encode()).hexdigest()

    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """See `ScoredModels`."""
        included = rng.random(self.targets.size) < 0.5
        if self.single:
            included[:] = index % 2 == 0
        inside = np.ones(len(self.table), dtype=bool)
        inside[self.targets] = included
        if not inside.any():
            raise GeneratorError(
                f"no record was in in run {index}; give a table with more records, or fewer targets"
            )
        synthetic = generate(
            self.maker, self.table[inside].reset_index(drop=True), self.rows, seed=rng
        )
        return Rows.one_model(index, included, self.scores(synthetic, int(rng.integers(2**31))))

    def scores(self, synthetic: pd.DataFrame, seed: int) -> NDArray[np.float64]:
        """The attack's scores of the targets, from a synthetic table and all records.

        Parameters
        ----------
        synthetic : DataFrame
        seed : int
            Of the attack.
        """
        nobody = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool)
        scorer = self.attack.fit(self.columns.read(synthetic, seed), *nobody)
        return np.asarray(scorer(self.targets), dtype=np.float64)

    def collect(self, rows: Rows, name: str = "") -> Scores | ScoreTable:
        """See `ScoredModels`."""
        if self.single:
            return self.two_samples(rows, name)
        return self._score_table(rows, name, self.targets, {"reason": self.reason})

    def __getstate__(self) -> dict[str, Any]:
        """What processes are sent, with functions of a notebook and lambdas as they are."""
        others = {k: v for k, v in vars(self).items() if k not in ("maker", "attack")}
        return {**others, "maker": pickled((self.maker, self.attack))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        maker, attack = unpickled(state["maker"])
        vars(self).update({**state, "maker": maker, "attack": attack})


@dataclass(frozen=True, eq=False)
class GeneratorPlan(RunPlan):
    """What runs of a generator are repeated from, with the generator and the table."""

    audit: GeneratorRuns
    seed: int
    confidence: float = 0.95

    @property
    def claimed(self) -> Claim | None:
        """None: bounds on the scores are compared with a claim where they are."""
        return None

    def to_toml(self) -> str:
        """The plan as a TOML file, for people: the generator and the table are named, not held."""
        audit = dict(self.audit.parameters)
        run = {"models": audit.pop("models"), "seed": self.seed}
        table = {"sha256": self.audit.data_sha256, "records": len(self.audit.table)}
        return to_toml({"table": table, "audit": audit, "run": run})


@_checks.arguments
def generator_runs(
    generator: Generator | Callable[..., Any],
    table: pd.DataFrame,
    *,
    runs: int,
    targets: ArrayLike | Targets | None = None,
    rows: int | None = None,
    attack: str | Attack = "distance",
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
    report: Report = silent,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Scores | ScoreTable:
    """Scores of target records from many runs of a generator, with and without them.

    Parameters
    ----------
    generator : Generator or callable
        See `generate`. Each run fits a copy of it.
    table : DataFrame
        All records.
    runs : int
        At least 4.
    targets : int, sequence of int, Targets, or None
        Row numbers, from 0, of the records that are in or out, such as those that
        `workbench.synthetic.targets` proposes: choose them before you see synthetic data. One
        number: the record is in every other run. Several: each is in by its own fair coin in each
        run. None: all records. Those that are no targets are always in.
    rows : int, optional
        Of each synthetic table; by default as many as records are in on average. It does not depend
        on the coins.
    attack : str or Attack
        Of `SyntheticAudit`, one that needs no memberships to learn from. Choose it in advance.
    columns : dict, optional
        The kind of some columns, as of `SyntheticAudit`; those of the others are found in the
        table.
    seed : int
        The scores depend on it alone, not on how the runs are spread.
    report, executor, folder
        See `workbench.training.run_training_audit`: how progress is told, where the runs are made,
        and where their scores are kept. Runs that are there, of the same arguments, are continued.
        A generator is known again by its representation, or by its name.

    Returns
    -------
    Scores or ScoreTable
        `Scores` for one number, for `workbench.epsilon_lower_bound` and others; otherwise a
        `ScoreTable` of runs × targets, with ``worst_record`` and others. Larger is member. In a
        folder, ``wb.read_scores`` and ``wb.read_score_table`` open them, too.

    Raises
    ------
    GeneratorError
        It is no generator, fails, returns no table with the same columns, or returned the same
        table twice with different seeds: its chance is fixed, and runs would not be independent.
    RunFolderError
        The folder holds something else, or is in use by another program.
    ValueError
        Fewer than 4 runs, or targets that are no rows of the table.

    Notes
    -----
    Guarantee: runs are independent, so that bounds for independent runs hold for (ε, δ)-DP of the
    generator under adding or removing a target, with no assumption on the table. The coins of other
    targets make a mixture of generators, which is as private as each of them (joint convexity). It
    is required that the generator draws all its chance anew in each run.

    Examples
    --------
    >>> table = wb.synthetic.patients().head(60)
    >>> generator = wb.synthetic.CopyingGenerator(share=1.0)
    >>> scores = wb.synthetic.generator_runs(generator, table, runs=20, targets=3)
    >>> scores.n_p, scores.n_q, scores.sampling
    (10, 10, 'independent runs')
    """
    check_generator(generator)
    table = table_of(table).reset_index(drop=True)
    places, single = _places(targets, len(table))
    if rows is None:
        rows = max(1, len(table) - places.size + (places.size + 1) // 2)
    audit = GeneratorRuns(
        generator,
        table,
        places,
        _checks.count(runs, "runs", least=GeneratorRuns.least_models, most=MOST_RUNS),
        rows_of(rows, "rows"),
        _attack(attack),
        TableColumns.of(table, columns),
        single,
        targets.reason if isinstance(targets, Targets) else None,
    )
    plan = GeneratorPlan(audit, _checks.count(seed, "seed"))
    if folder is None or not (Path(folder) / RUN_ABOUT).is_file():
        _require_chance(plan)
    run = run_plan(ScoredRun, plan, report, executor, folder)
    return cast(Scores | ScoreTable, run.result)


def _attack(given: str | Attack) -> Attack:
    able = {name: one for name, one in ATTACKS.items() if not one.learns}
    if isinstance(given, Attack) and not given.learns:
        return given
    name = given.name if isinstance(given, Attack) else given
    if name in ATTACKS and name not in able:
        raise ValueError(
            f"attack {name!r} learns from memberships of the same run, which bounds for a record "
            f"count; take one of {', '.join(map(repr, able))}"
        )
    return able[_checks.one_of(name, "attack", tuple(able))]


def _places(targets: Any, size: int) -> tuple[NDArray[np.intp], bool]:
    """Rows of the targets, and whether they are one record of its own."""
    if targets is None:
        return np.arange(size), False
    if isinstance(targets, Targets):
        targets = targets.rows
    single = isinstance(targets, int | np.integer) and not isinstance(targets, bool)
    places = _checks.indices([targets] if single else targets, size, "targets").astype(np.intp)
    if not places.size or np.unique(places).size < places.size:
        raise ValueError(
            f"targets must be different rows of the table, at least one, got "
            f"{_checks.shown(targets)}"
        )
    return places, single


def _require_chance(plan: GeneratorPlan) -> None:
    """Nothing; a GeneratorError where two runs with different seeds give the same table."""
    audit = plan.audit
    made = [generate(audit.maker, audit.table, audit.rows, seed=seed) for seed in (1, 2)]
    if made[0].equals(made[1]):
        raise GeneratorError(
            "the generator returned the same synthetic table twice, with different seeds: its "
            "chance is fixed, so that runs would show its seed and not its privacy. Give a "
            "function of (table, seed) that sets the seed of all that it uses"
        )
