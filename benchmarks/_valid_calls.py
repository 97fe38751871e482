"""A valid call of every public function, constructor and method: what odd arguments start from."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import workbench as wb
from workbench.scores.table import DataTable

#: Public names without examples: errors, abstract classes, and `View` (it raises AttributeError).
SKIPPED = (
    "AccountantError", "ArchiveError", "Claim", "DivergenceError", "Finder", "MissingPackage",
    "NoBoundError", "Pair", "ReportError", "RunCount", "Score", "ScoresError", "Tester", "View",
    "WorkspaceError",
)  # fmt: skip

#: Methods of pairs and claims that bounds and testers call with arguments checked before.
PROTOCOL = (
    "draw_p", "draw_q", "symmetric_local_mu", "revealing_alphas", "min_tradeoff",
    "easiest_to_refute", "lower_bound", "parameter_bound", "why_any_renyi", "with_parameter",
    "add", "gradients", "layers", "norms", "products",
)  # fmt: skip

#: Names of ``wb.training`` that train. What audits do with odd parameters has tests of its own.
TRAINING = (
    "DPSGDSettings",
    "DiracCanaries",
    "LabeledData",
    "Network",
    "RandomCanaries",
    "labeled_data",
)

#: Methods that take any number of arguments, which have no names.
UNNAMED = ("Archive.compare",)

#: Statements about privacy loss, which have no scores: these calls are refused as they are.
REFUSED = tuple(
    f"{pair}.{method}"
    for pair in ("FixedBatchPair", "ProfileTablePair", "RenyiPair", "TruncatedBatchPair")
    for method in ("privacy_loss", "sample")
)

#: Classes that the library makes, and whose constructors check little.
RESULTS = (
    "AnytimePath", "Archive", "AttackOverlap", "Audit", "AuditComparison", "AuditSeries",
    "BettingCounts", "Bound", "BoundDistribution", "CanaryIndependence", "CanaryRun",
    "CombinedLimits", "Comparison", "ComposedBand", "ComposedHistogram", "Coverage", "DataSet",
    "Detectable", "Deviation", "EValue", "ErrorRates", "EvidencePath", "FamilyCheck",
    "FamilyFit", "Finding", "FixedSizeLimits", "FollowState", "GDPRegret", "Histogram",
    "IndependenceCheck", "Mechanism", "MechanismAudit", "Meeting", "Ordering", "PosteriorCurve",
    "PosteriorMember", "Power", "QuantityArguments", "RefutingPoint", "Replay", "Roc",
    "SampleSize", "SeriesAudit", "TradeoffBand", "Trial", "Tuning", "Verdict", "Workspace",
    "WorstOrder",
)  # fmt: skip

PAIR = (np.array([1.0, 0.0]), np.array([1.0]))


@dataclass(frozen=True)
class Make:
    """An argument that each call gets afresh."""

    factory: Callable[[], Any]


class Here(Executor):
    """Runs what it is given at once."""

    def submit(self, function: Any, /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*given, **named))
        return future


def noisy_sum(dataset: NDArray[Any], size: int, rng: np.random.Generator) -> NDArray[Any]:
    """A mechanism."""
    return np.asarray(np.sum(dataset) + rng.laplace(size=size))


@functools.cache
def scores() -> wb.Scores:
    return wb.GaussianPair(1.0).sample(60, seed=1)


@functools.cache
def many() -> wb.Scores:
    return wb.GaussianPair(1.0).sample(300, seed=1)


@functools.cache
def counted_scores() -> wb.CountedScores:
    return wb.CountedScores(
        np.arange(4), [10, 10, 20, 20], [20, 20, 10, 10], first=([3, 0, 2], [0, 2, 1])
    )


@functools.cache
def band() -> wb.TradeoffBand:
    return wb.tradeoff_band(scores())


@functools.cache
def score_table() -> wb.ScoreTable:
    """Sixteen models, in complementary pairs, of five records, the first of which leaks."""
    rng = np.random.default_rng(5)
    member = np.repeat(rng.integers(0, 2, (8, 5)).astype(bool), 2, axis=0)
    member[1::2] ^= True
    scores = rng.normal(size=(16, 5)) + member * [3, 0, 0, 0, 0]
    return wb.ScoreTable(scores, member, attributes={"class": np.array([0, 0, 0, 1, 1])})


def table_frame() -> pd.DataFrame:
    """`score_table` in long form."""
    table = score_table()
    model, record = np.indices(table.member.shape)
    columns = {"model": model, "record": record, "score": table.scores, "member": table.member}
    return pd.DataFrame({name: cells.ravel() for name, cells in columns.items()})


@functools.cache
def signal_table() -> wb.SignalTable:
    """The scores of `score_table` as log-odds."""
    table = score_table()
    return wb.SignalTable(table.scores, table.member)


def attack_tables() -> list[wb.ScoreTable]:
    return [signal_table().lira(), signal_table().rmia()]


def one_run() -> wb.OneRun:
    rng = np.random.default_rng(0)
    included = rng.random(40) < 0.5
    return wb.OneRun(rng.normal(size=40) + included, included)


def canaries_tested() -> wb.CanaryIndependence:
    return wb.canary_independence(one_run(), permutations=19)


@functools.cache
def audited() -> wb.MechanismAudit:
    how = {"datasets": [PAIR], "testers": ("histogram",), "trials": 1, "samples": 200}
    return wb.audit_mechanism(noisy_sum, "pure(1)", **how)  # type: ignore[arg-type]


@functools.cache
def network() -> wb.training.Network:
    return wb.training.Network((4, 3, 2))


def labeled_data() -> wb.training.LabeledData:
    return wb.training.LabeledData(np.eye(4), np.array([0, 1, 1, 0]), 2)


def runs() -> wb.selection.NegativeBinomial:
    return wb.selection.NegativeBinomial(1, 0.2)


def counts() -> wb.Counts:
    return wb.Counts(tp=40, fp=12, tn=48, fn=20)


def frame() -> pd.DataFrame:
    return scores().to_frame()


def workspace() -> wb.Workspace:
    made = wb.Workspace()
    made.add_scores(scores(), "kept")
    return made


def axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def drawing() -> str:
    return str(Path(tempfile.gettempdir()) / f"odd-calls-{os.getpid()}.svg")


def growing() -> Path:
    """A file to which rows were appended."""
    path = Path(tempfile.gettempdir()) / f"odd-calls-{os.getpid()}.csv"
    path.write_text("\n".join(["p,q", *(f"{a},{b}" for a, b in zip(*scores(), strict=True)), ""]))
    return path


def kept_here() -> wb.DataSet:
    return wb.workspace().add_scores(scores(), "kept")


def kept_score_table() -> wb.DataSet:
    return wb.workspace().add_table(score_table(), "kept")


def kept_file() -> str:
    return wb.workspace().keep_file("canaries.csv", b"score,included")


def kept_table() -> DataTable:
    return workspace().tables("kept")[0]


def page_audit() -> wb.Audit:
    return wb.audit(counts())


def registered() -> wb.RegisteredPlan:
    stored = datetime(2026, 1, 1, tzinfo=UTC)
    return wb.RegisteredPlan("release 3", "the nightly run", stored, threshold=0.5)


def archive() -> wb.Archive:
    made = wb.Workspace().audits
    made.save(page_audit(), "before")
    made.series("nightly")
    return made


def audit_file() -> bytes:
    return archive().exported("before")


#: Class -> a valid object, which its methods are called on and whose fields construct another.
OBJECTS: dict[str, Callable[[], Any]] = {
    "Archive": archive,
    "Audit": page_audit,
    "AuditComparison": lambda: wb.AuditComparison((page_audit(), page_audit())),
    "AnytimeAudit": lambda: wb.AnytimeAudit(1e-5),
    "AnytimeVectorAudit": lambda: wb.AnytimeVectorAudit(1e-5),
    "AnytimePath": functools.cache(lambda: wb.anytime_path(scores(), 1e-5)),
    "EValue": functools.cache(lambda: wb.anytime_e_value(scores(), 0.1, 1e-5)),
    "FollowState": functools.cache(lambda: list(wb.follow(growing(), patience=0))[-1]),
    "GrowingFile": lambda: wb.GrowingFile(growing()),
    "BoundDistribution": functools.cache(
        lambda: wb.plan_distribution(wb.GaussianPair(1), n=30, delta=1e-5, reps=3)
    ),
    "Power": functools.cache(
        lambda: wb.power(
            wb.GaussianPair(2), claim_epsilon=0.5, delta=1e-5, n=60, guarantee="pointwise"
        )
    ),
    "SampleSize": functools.cache(
        lambda: wb.samples_needed(
            wb.GaussianPair(3), claim_epsilon=0.5, delta=1e-5, guarantee="pointwise"
        )
    ),
    "RegisteredPlan": registered,
    "Deviation": lambda: wb.Deviation("the threshold", "0.3", "0.41"),
    "AuditSeries": lambda: wb.AuditSeries("nightly", 0.95, (OBJECTS["SeriesAudit"](),)),
    "SeriesAudit": lambda: wb.SeriesAudit(1, 0.975, "0" * 64, datetime(2026, 1, 1, tzinfo=UTC)),
    "Bound": lambda: band().epsilon(1e-5),
    "BettingCounts": functools.cache(lambda: wb.betting_counts(scores())),
    "EvidencePath": functools.cache(lambda: wb.betting_counts(scores()).evidence(0.1, 1e-5)),
    "ClaimEvidence": functools.cache(lambda: wb.claim_evidence(scores(), "approx(0.1, 1e-5)")),
    "FixedSizeLimits": functools.cache(lambda: wb.fixed_size_limits(scores(), 1e-5)),
    "GDPRegret": lambda: wb.gdp_regret(wb.LaplacePair(1), 1e-6),
    "Meeting": lambda: wb.meeting_point(wb.LaplacePair(1), 1e-6),
    "ErrorRates": lambda: wb.error_rates(scores(), [0.0, 0.5]),
    "PosteriorCurve": functools.cache(
        lambda: wb.posterior_over_thresholds(scores(), OBJECTS["GaussianPair"](), [0.0, 0.5])
    ),
    "PosteriorMember": functools.cache(
        lambda: wb.posterior_parameter(counts(), wb.GaussianPair, (0.01, 5.0))
    ),
    "Anytime": lambda: wb.Anytime(),
    "HeldOut": lambda: wb.HeldOut(splits=2),
    "OneQuestion": lambda: wb.OneQuestion(),
    "Pointwise": lambda: wb.Pointwise(0.5),
    "Simultaneous": lambda: wb.Simultaneous(),
    "QuantityArguments": lambda: wb.QuantityArguments(delta=1e-5),
    "TradeoffBand": band,
    "Counts": counts,
    "Ordering": functools.cache(lambda: wb.learn_ordering(scores())),
    "Detectable": lambda: wb.Detectable("Gaussian", "μ", 1.0, 2.0, 0.5),
    "Verdict": functools.cache(lambda: wb.judge(scores(), "gdp(1)")),
    "RefutingPoint": lambda: wb.RefutingPoint(0.5, 40, 12, 0.3, 0.4, 0.5, 0.01),
    "Comparison": functools.cache(lambda: wb.compare(scores(), scores(), fpr=[0.1, 0.5])),
    "Coverage": functools.cache(
        lambda: wb.coverage(
            "simultaneous", wb.GaussianPair(1), n=30, reps=2, delta=1e-5, executor=Here()
        )
    ),
    "TradeoffCurve": lambda: wb.TradeoffCurve(np.array([0, 0.3, 1]), np.array([1, 0.2, 0])),
    "Domain": wb.Domain,
    "Mechanism": lambda: wb.mechanism("noisy-max"),
    "Histogram": functools.cache(lambda: wb.histogram(scores(), 8)),
    "Roc": functools.cache(lambda: wb.roc(scores())),
    "FamilyCheck": functools.cache(lambda: wb.family_check(scores(), "gaussian")),
    "CheckPower": functools.cache(lambda: wb.family_check(scores(), "gaussian").power(1e-5)),
    "FamilyFit": functools.cache(lambda: wb.family_fit(scores(), "gaussian")),
    "ComposedBand": functools.cache(lambda: wb.compose_band(band(), 2)),
    "ComposedHistogram": functools.cache(
        lambda: wb.compose_histogram(wb.histogram(scores(), 8), 2)
    ),
    "ApproxDP": lambda: wb.ApproxDP(1.0, 1e-5),
    "GDP": lambda: wb.GDP(1.0),
    "PureDP": lambda: wb.PureDP(1.0),
    "RenyiDP": lambda: wb.RenyiDP(2.0, 0.5),
    "PairClaim": lambda: wb.PairClaim(wb.LaplacePair(0.5)),
    "ZCDP": lambda: wb.ZCDP(0.5),
    "ComposedPair": functools.cache(lambda: wb.ComposedPair(wb.LaplacePair(0.5), 2)),
    "DPSGDPair": functools.cache(lambda: wb.DPSGDPair(2.0, 0.1, 3)),
    "DiscreteGaussianPair": lambda: wb.DiscreteGaussianPair(2.0),
    "DiscreteLaplacePair": lambda: wb.DiscreteLaplacePair(2.0),
    "ProfileTablePair": lambda: wb.ProfileTablePair((0.0, 1.0, 2.0), (0.3, 0.1, 0.01)),
    "RenyiPair": lambda: wb.RenyiPair((2.0, 4.0), (0.5, 1.0)),
    "GaussianPair": lambda: wb.GaussianPair(1.0),
    "LaplacePair": lambda: wb.LaplacePair(1.0),
    "FixedBatchPair": functools.cache(lambda: wb.FixedBatchPair(2.0, 10, 100, 3)),
    "TruncatedBatchPair": functools.cache(lambda: wb.TruncatedBatchPair(2.0, 0.1, 15, 100, 3)),
    "MixturePair": functools.cache(lambda: wb.MixturePair((0, 1, 2), (0.8, 0.1, 0.1), 2.0, 3)),
    "LastIteratePair": lambda: wb.LastIteratePair(1.0, 0.1, 10),
    "RandomizedResponsePair": lambda: wb.RandomizedResponsePair(1.0, 1e-5),
    "SubsampledGaussianPair": lambda: wb.SubsampledGaussianPair(0.25, 0.5),
    "Ends": lambda: wb.Ends(3, 4),
    "Guesses": lambda: wb.Guesses(100, 60, 45, included=52),
    "Threshold": lambda: wb.Threshold(0.5),
    "Tuning": functools.cache(lambda: wb.tune_one_run(one_run(), delta=1e-5)),
    "OneRun": one_run,
    "CanaryIndependence": canaries_tested,
    "IndependenceCheck": lambda: canaries_tested().checks[0],
    "LeakingRecords": lambda: score_table().leaking(0.5, delta=1e-5),
    "RecordCount": lambda: score_table().exceeding(0.5, delta=1e-5),
    "RecordLimits": lambda: score_table().each_record(delta=1e-5),
    "ScoreTable": score_table,
    "CountedScores": counted_scores,
    "SignalTable": signal_table,
    "AttackOverlap": functools.cache(lambda: wb.compare_attacks(attack_tables(), fpr=0.1)),
    "CombinedLimits": functools.cache(lambda: OBJECTS["AttackOverlap"]().each_record(delta=1e-5)),
    "Scores": scores,
    "Finding": lambda: audited().best.finding,
    "MechanismAudit": audited,
    "Replay": functools.cache(lambda: audited().replay(samples=200)),
    "Trial": lambda: audited().trials[0],
    "Neighbors": lambda: wb.Neighbors(*PAIR),
    "CanaryRun": functools.cache(lambda: wb.simulate_canaries(20, 10, 1.0)),
    "DataSet": lambda: workspace().dataset("kept"),
    "Workspace": workspace,
    "BlockOrder": lambda: wb.selection.BlockOrder([-1.0, 1.0], [2, 0, 1]),
    "Constant": wb.selection.Constant,
    "FiniteSelection": lambda: wb.selection.FiniteSelection(runs(), [0.3, 0.7], [0.6, 0.4]),
    "Monotone": wb.selection.Monotone,
    "NegativeBinomial": runs,
    "Noisy": lambda: wb.selection.Noisy(1.0),
    "PointMass": lambda: wb.selection.PointMass(3),
    "Poisson": lambda: wb.selection.Poisson(2.0),
    "Table": lambda: wb.selection.Table({1: 0.5, 3: 0.5}),
    "TwoPoint": lambda: wb.selection.TwoPoint(4, 0.5),
    "DPSGDSettings": lambda: wb.training.DPSGDSettings(
        network(), 2, 0.5, 1.0, 2.0, optimizer="sgd"
    ),
    "DiracCanaries": lambda: wb.training.DiracCanaries([0, 3]),
    "LabeledData": labeled_data,
    "Network": network,
    "RandomCanaries": lambda: wb.training.RandomCanaries(np.eye(2, network().size)),
    "WorstOrder": functools.cache(lambda: wb.selection.worst_order(runs(), 0.5, delta=1e-5)),
}

_COUNTS = {"tp": 40, "fp": 12, "tn": 48, "fn": 20}
_GUESSES = {"canaries": 100, "guesses": 60, "correct": 45}
_SAMPLES = {"p": np.linspace(0, 2, 400), "q": np.linspace(0, 1, 400), "claim": "pure(0.5)"}
_CHOOSE = {"log_rank": np.array([-0.5, -1.0]), "mu": 0.5}

_DRAWN = {"count": 2, "size": 23, "rng": Make(np.random.default_rng)}
_MODEL = {"theta": np.zeros(23), "data": Make(labeled_data)}

#: Call -> its arguments, where their names do not tell.
OWN: dict[str, dict[str, Any]] = {
    **{f"{name}.plot": {"ax": Make(axes)} for name in OBJECTS},
    "save_figure": {"figure": Make(OBJECTS["Histogram"]), "path": Make(drawing)},
    "DPSGDSettings.train": {"data": Make(labeled_data), "rng": Make(np.random.default_rng)},
    "DiracCanaries": {"places": [0, 3]},
    "DiracCanaries.drawn": _DRAWN,
    "DiracCanaries.check": {"size": 23},
    "LabeledData.joined": {"more": Make(labeled_data)},
    "LabeledData.record": {"x": [0, 0, 1, 0], "label": 1},
    "LabeledData.relabeled": {"row": 1},
    "LabeledData.take": {"rows": [0, 2]},
    "LabeledData.without": {"row": 1},
    "Network.accuracy": _MODEL,
    "Network.check": {"data": Make(labeled_data)},
    "Network.initial": {"rng": Make(np.random.default_rng)},
    "Network.logits": {"theta": np.zeros(23), "x": np.eye(4)},
    "Network.losses": _MODEL,
    "Network.parameters": {"theta": np.zeros(23)},
    "RandomCanaries": {"directions": np.eye(2, 23)},
    "RandomCanaries.drawn": _DRAWN,
    "RandomCanaries.check": {"size": 23},
    "labeled_data": {"name": "digits"},
    "AnytimeAudit": {"delta": 1e-5},
    "AnytimeAudit.update": {"p": [1.0, 2.0], "q": [0.0, 0.5]},
    "AnytimeVectorAudit": {"delta": 1e-5},
    "AnytimeVectorAudit.update": {"p": np.eye(2), "q": np.zeros((2, 2))},
    "anytime_path": {"delta": 1e-5},
    "follow": {"path": Make(lambda: growing()), "patience": 0},
    "GrowingFile": {"path": Make(lambda: growing())},
    "ApproxDP": {"epsilon": 1.0, "delta": 1e-5},
    "audit_mechanism": {
        "mechanism": noisy_sum,
        "claim": "pure(1)",
        "testers": ("histogram",),
        "trials": 1,
        "samples": 200,
    },
    "Archive": {"database": Make(lambda: archive().database)},
    **{
        f"Archive.{name}": {"name": "before"}
        for name in ("attachments", "exported", "find", "remove", "restore", "versions")
    },
    "Archive.add_file": {"file": Make(audit_file)},
    "Archive.export": {"name": "before", "path": "before.audit.zip"},
    "Archive.reserve": {"series": "nightly", "scores": Make(scores)},
    "Archive.save": {"audit": Make(page_audit), "name": "after", "tags": ["release"]},
    "Archive.search": {"text": "before"},
    "Archive.series": {"name": "nightly"},
    "SeriesAudit.member": {"audit": Make(lambda: dataclasses.replace(page_audit(), numbers=()))},
    "AuditComparison.overlay": {"name": "rates"},
    "AuditSeries.find": {"data_sha256": "0" * 64},
    "average_e_values": {"values": Make(lambda: [OBJECTS["EValue"]()] * 2)},
    "BlockOrder": {"edges": [-1.0, 1.0], "ranks": [2, 0, 1]},
    "Bound.from_dict": {"values": Make(lambda: OBJECTS["Bound"]().to_dict())},
    "Bound.of_scores": {
        "value": 0.5,
        "quantity": "mu",
        "guarantee": "estimate",
        "method": "Mann–Whitney",
    },
    "bound_texts": {"bound": Make(OBJECTS["Bound"])},
    "BoundDistribution.quantile": {"level": 0.5},
    "compare": {"a": Make(scores), "b": Make(scores), "fpr": [0.1, 0.5]},
    "compare_methods": {
        "methods": ["simultaneous"],
        "pair": Make(OBJECTS["GaussianPair"]),
        "n": 30,
        "reps": 2,
        "delta": 1e-5,
        "executor": Make(Here),
    },
    "compose_histogram": {"histogram": Make(OBJECTS["Histogram"]), "k": 2},
    "ComposedPair.sample": {"n": 4},
    "Counts.at_threshold": {"threshold": 0.5},
    "Counts.precision": {"prior": 0.1},
    "Counts.renyi": {"order": 2.0},
    "coverage": {
        "method": "simultaneous",
        "pair": Make(OBJECTS["GaussianPair"]),
        "n": 30,
        "reps": 2,
        "delta": 1e-5,
        "executor": Make(Here),
    },
    "Coverage.quantile": {"level": 0.5},
    "delta_from_counts": {**_COUNTS, "epsilon": 0.5},
    "DPSGDPair.from_training": {
        "batch_size": 10,
        "dataset_size": 100,
        "epochs": 1,
        "noise_multiplier": 2.0,
    },
    "e_benjamini_hochberg": {"values": [1.0, 50.0, 400.0]},
    "epsilon": {"runs": Make(runs), "mu": 0.5, "delta": 1e-5},
    "epsilon_from_counts": {**_COUNTS, "delta": 1e-5},
    "Ends.scaled": {"canaries": 10, "of": 20},
    "error_rates": {"thresholds": [0.0, 0.5]},
    "example": {"name": "gaussian"},
    "explore_compare": {"a": Make(scores), "b": Make(scores)},
    "family_check": {"family": "gaussian"},
    "family_fit": {"family": "gaussian"},
    "find_mechanism": {"text": "noisy-max"},
    "find_violation": _SAMPLES,
    "Finding.voided": {"reason": "chosen after looking"},
    "FiniteSelection": {"runs": Make(runs), "p": [0.3, 0.7], "q": [0.6, 0.4]},
    "gdp_fit": {"source": Make(OBJECTS["Histogram"])},
    "generic_pure_epsilon": {"epsilon": 0.5},
    "hockey_stick_limits": {"histogram": Make(OBJECTS["Histogram"])},
    "learn_ordering_nd": {
        "p": Make(lambda: np.stack([many().p, many().p], axis=1)),
        "q": Make(lambda: np.stack([many().q, many().q], axis=1)),
    },
    "learn_ordering_in_order": {
        "p": Make(lambda: np.stack([many().p, many().p], axis=1)),
        "q": Make(lambda: np.stack([many().q, many().q], axis=1)),
    },
    "audit": {"subject": Make(counts), "spec": {"log_delta": -6.0}},
    "Audit.from_dict": {"card": Make(lambda: page_audit().to_dict())},
    "Audit.named": {"name": "an audit"},
    "Audit.report": {"path": "audit.json"},
    "RegisteredPlan": {
        "name": "release 3",
        "data": "the nightly run",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
        "threshold": 0.5,
        "bins": {"bins": 20, "range": [0, 1]},
        "sampling": "one run",
        "cluster_rule": "max",
        "interval": "joint",
        "claim": "gdp(1)",
        "n_p": 100,
        "n_q": 100,
        "stopping": "anytime",
        "key": "",
    },
    "RegisteredPlan.same_bound": {"other": Make(registered)},
    "RegisteredPlan.from_dict": {"values": Make(lambda: registered().to_dict())},
    "plan": {
        "name": "release 3",
        "data": "the nightly run",
        "threshold": 0.5,
        "bins": {"bins": 20, "range": [0, 1]},
        "sampling": "one run",
        "cluster_rule": "max",
        "interval": "joint",
        "claim": "gdp(1)",
        "n_p": 100,
        "n_q": 100,
        "stopping": "anytime",
        "workspace": Make(wb.Workspace),
    },
    "same_number": {"value": 1.5, "recorded": 1.5},
    "recorded_scores": {"sha256": Make(lambda: kept_here().sha256)},
    "recorded_table": {"sha256": Make(lambda: kept_score_table().sha256)},
    "recorded_file": {"sha256": Make(kept_file), "name": "canaries.csv"},
    "mechanism": {"name": "noisy-max"},
    "MechanismAudit.from_dict": {"values": Make(lambda: audited().to_dict())},
    "MechanismAudit.too_weak": {"must_detect": 2.0},
    "MechanismAudit.replay": {"mechanism": noisy_sum, "samples": 200},
    "MechanismAudit.save": {"path": "saved.json"},
    "MechanismAudit.load": {"path": "loaded.json"},
    "mu_from_counts": _COUNTS,
    "multiply_e_values": {"values": Make(lambda: [OBJECTS["EValue"]()] * 2)},
    "NegativeBinomial.from_mean": {"eta": 1.0, "mean": 5.0},
    "noise_multiplier_for": {"epsilon": 2.0, "delta": 1e-5, "sample_rate": 1.0, "steps": 1},
    "AttackOverlap.each_record": {"delta": 1e-5},
    "AttackOverlap.leaking": {"epsilon": 0.5, "delta": 1e-5},
    "CombinedLimits.p_values": {"epsilon": 0.5},
    "CombinedLimits.refuted": {"epsilon": 0.5},
    "example_table": {"name": "digits-records"},
    "compare_attacks": {"tables": Make(attack_tables), "fpr": 0.1},
    "ScoreTable.index": {"record": 1},
    "ScoreTable.record": {"record": 1},
    "ScoreTable.worst_of_groups": {"by": "class"},
    "ScoreTable.of_models": {"which": [0, 2, 3, 5, 7, 8]},
    "ScoreTable.of_records": {"which": [0, 2]},
    "OneRun.guess": {"threshold": 0.5},
    "OneRun.random_order": {"use": "ties"},
    "OneRun.part": {"rows": np.arange(40) < 20},
    "one_run_bound": {**_GUESSES, "delta": 1e-5},
    "one_run_mu_bound": _GUESSES,
    "one_run_score_bound": {"run": Make(one_run), "delta": 1e-5},
    "canary_independence": {"data": Make(one_run), "permutations": 19},
    "tradeoff_curve": {"mu": 0.5},
    "workspace": {"path": "kept"},
    "Workspace.bring": {
        "tables": Make(lambda: [kept_table()]),
        "source": Make(lambda: workspace().dataset("kept").source),
        "reading": Make(lambda: workspace().dataset("kept").reading),
        "name": "brought",
    },
    "Workspace.add": {"tables": Make(lambda: [kept_table()])},
    "Workspace.table": {"key": "example:digits-records"},
    "Workspace.add_table": {"table": Make(score_table)},
    "Workspace.borrow": {"base": Make(lambda: workspace())},
    "Workspace.chosen_here": {"kind": "scores"},
    "Workspace.in_view": {"kind": "scores"},
    "Workspace.choose": {"key": "example:gaussian"},
    "Workspace.opened": {"sha256": "0" * 64},
    "Workspace.opening": {"sha256": "0" * 64, "data": Make(scores)},
    "Workspace.find": {"sha256": "0" * 64},
    "Workspace.keep_file": {"name": "canaries.csv", "content": b"0,1"},
    "Workspace.keep_page_state": {"page": "scores", "settings": {"threshold": 0.5}},
    "Workspace.note_opening": {"tables": Make(lambda: [kept_table()])},
    "Workspace.page_state": {"page": "scores"},
    "Workspace.rename": {"key": "kept", "name": "losses"},
    "Workspace.reread": {
        "key": "kept",
        "reading": Make(lambda: workspace().dataset("kept").reading),
        "seen": True,
    },
    "Workspace.require_room": {"more": 1000},
    "Workspace.revert": {"state": Make(lambda: workspace().snapshot())},
    "Workspace.watch": {"callback": print},
    "Workspace.unwatch": {"callback": print},
    "Workspace.file": {"sha256": "0" * 64},
    "worst_order": {"mu": 0.5, "delta": 1e-5},
    "RandomizedResponsePair.privacy_loss": {"score": [0, 3]},
    "Ordering.apply": {"x": [0.5, 1.0]},
    "parametric_bound": {"family": "gaussian", "delta": 1e-5},
    "parse_claim": {"text": "gdp(1)"},
    "plan_distribution": {"pair": Make(OBJECTS["GaussianPair"]), "n": 30, "delta": 1e-5, "reps": 3},
    "gdp_regret": {"curve": Make(OBJECTS["LaplacePair"]), "floor": 1e-6},
    "meeting_point": {"pair": Make(OBJECTS["LaplacePair"]), "floor": 1e-6},
    "mu_from_profile": {"delta": 0.1, "epsilon": 0.5},
    "mu_from_total_variation": {"tv": 0.5},
    "symmetric_local_mu": {"curve": Make(OBJECTS["LaplacePair"]), "alpha": [0.1, 0.4]},
    "posterior_mass": {"counts": Make(counts), "tradeoff": Make(OBJECTS["GaussianPair"])},
    "posterior_over_thresholds": {
        "tradeoff": Make(OBJECTS["GaussianPair"]),
        "thresholds": [0.0, 0.5],
    },
    "posterior_parameter": {
        "counts": Make(counts),
        "family": wb.GaussianPair,
        "bounds": (0.0, 6.0),
    },
    "power": {
        "pair": Make(OBJECTS["GaussianPair"]),
        "claim_epsilon": 0.5,
        "n": 60,
        "guarantee": "pointwise",
    },
    "precision_from_counts": {**_COUNTS, "prior": 0.1},
    "ProfileTablePair.read": {
        "source": Make(lambda: pd.DataFrame({"epsilon": [0, 1], "delta": [0.3, 0]})),
    },
    "RandomizedResponsePair": {"epsilon": 1.0, "delta": 1e-5},
    "ZCDP": {"rho": 0.5},
    "read_one_run": {"path": Make(lambda: one_run().to_frame())},
    "read_score_table": {"path": Make(table_frame)},
    "read_scores": {"path": Make(frame)},
    "reduced_mu": {"noise_multiplier": 2.0, "sample_rate": 0.1, "steps": 10},
    "RenyiDP": {"order": 2.0, "epsilon": 0.5},
    "PureDP": {"epsilon": 1.0},
    "samples_needed": {
        "pair": Make(lambda: wb.GaussianPair(3)),
        "claim_epsilon": 0.5,
        "delta": 1e-5,
        "guarantee": "pointwise",
    },
    "CountedScores": {"values": [0, 1], "counts_p": [2, 3], "counts_q": [3, 1]},
    **{
        f"{name}.{call}": arguments
        for name in ("Scores", "CountedScores")
        for call, arguments in {
            "below_counts": {"x": [0.0, 0.5]},
            "in_score_units": {"t": [0.0, 0.5]},
            "moments": {"unit": 2.0},
            "most_member_like_q": {"rank": [1, 2]},
            "part_of_sorted": {"p": np.arange(60) < 30, "q": np.arange(60) < 30},
            "quantile": {"level": 0.5},
            "rescored": {"rule": np.tanh, "held_out": "other runs"},
            "same_arrays": {"other": Make(scores)},
            "split_at_random": {"sizes": (20, 30), "rng": Make(lambda: np.random.default_rng(0))},
            "tail_counts": {"t": [0.0, 0.5]},
            "with_direction": {"larger_is_member": False},
            "with_seed": {"seed": 5},
        }.items()
    },
    "simulate": {"runs": Make(runs), "mu": 0.5, "n": 40},
    "simulate_canaries": {"d": 20, "n": 10, "sigma": 1.0},
    "Table": {"pmf": {1: 0.5, 3: 0.5}},
    "test_samples": _SAMPLES,
    "Threshold.scaled": {"canaries": 10, "of": 20},
    "renyi_from_counts": {**_COUNTS, "order": 2.0},
    "total_variation_from_counts": _COUNTS,
    "TradeoffCurve.from_profile": {"epsilon": [0.0, 1.0], "delta": [0.3, 0.1]},
    "TradeoffCurve.hull": {"alpha": [0, 0.3, 1], "beta": [1, 0.2, 0]},
    "tune_one_run": {"run": Make(one_run), "delta": 1e-5},
    "tpr_from_counts": {**_COUNTS, "fpr": 0.1},
    **{
        f"{score}.{method}": arguments
        for score in ("BlockOrder", "Constant", "Monotone", "Noisy")
        for method, arguments in (
            ("best", {**_CHOOSE, "rng": Make(lambda: np.random.default_rng(0))}),
            ("log_below", {"score": np.array([0.0, 1.0]), "mu": 0.5}),
        )
    },
}

_INTERVALS = ("clopper-pearson", "joint", "jeffreys", "wilson", "bayesian")
_LOWER: tuple[dict[str, Any], ...] = (
    *({"guarantee": "pointwise", "threshold": 0.5, "interval": i} for i in _INTERVALS),
    {"guarantee": "held-out", "splits": 3},
    {"guarantee": "held-out", "ordering": "likelihood-ratio"},
    {"guarantee": "anytime"},
    *(
        {"guarantee": Make(OBJECTS[name])}
        for name in ("HeldOut", "OneQuestion", "Pointwise", "Simultaneous")
    ),
)
_LIMITS = tuple({"interval": i, "side": s} for i in _INTERVALS for s in ("lower", "two"))
_OF_RATIOS = (*_LIMITS, {"interval": "katz-log"}, {"interval": "katz-log", "side": "two"})
_MEMBERS = (
    {"family": "laplace"},
    {"family": "subsampled-gaussian", "q": 0.25},
    {"family": "randomized-response", "scores": Make(lambda: wb.Scores([1, 1, 0], [0, 0, 1]))},
)
_PLANS = tuple({"guarantee": m} for m in ("simultaneous", "pointwise", "anytime"))
_ONE_RUN = (
    {"method": "sharp"},
    {"method": "fdp", "family": "gaussian"},
    {"method": "abstain", "family": "laplace"},
    {"method": "abstain", "family": "subsampled-gaussian", "q": 0.25},
)
_ALL = {"guesses": 100, "method": "bits", "family": "gaussian"}
_CLAIMS = tuple({"claim": text} for text in ("approx(1, 1e-5)", "renyi(2, 0.5)", "pure(1)"))
_SCORES = tuple({"score": Make(OBJECTS[name])} for name in ("BlockOrder", "Noisy", "Constant"))

#: Call -> other valid arguments, which reach other code.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "epsilon_lower_bound": (
        *_LOWER,
        {"guarantee": "pointwise", "threshold": 0.5, "interval": "katz-log"},
    ),
    "mu_lower_bound": _LOWER,
    "delta_from_counts": _LIMITS,
    "epsilon_from_counts": _OF_RATIOS,
    "mu_from_counts": _LIMITS,
    "precision_from_counts": _OF_RATIOS,
    "total_variation_from_counts": _LIMITS,
    "tpr_from_counts": _LIMITS,
    "histogram": (
        {"bins": 5},
        {"width": 0.3},
        {"range": (-1.0, 2.0), "bins": 3},
        *({"rule": r} for r in ("fd", "plugin", "wand", "knuth", "quantile")),
    ),
    "parametric_bound": (
        *_MEMBERS,
        {"side": "two"},
        {"quantity": "delta", "delta": None, "epsilon": 0.5},
        {"quantity": "mu", "delta": None},
        {"quantity": "total variation", "delta": None},
        {"equal_variances": False},
    ),
    "family_fit": _MEMBERS,
    "family_check": (*_MEMBERS, {"equal_variances": False}),
    "gdp_fit": (
        {"source": Make(scores), "method": "threshold", "threshold": 0.5},
        {"method": "range", "floor": 1e-3},
        {"source": Make(band)},
    ),
    "hockey_stick_limits": ({"method": "canonne"},),
    "plan_distribution": _PLANS,
    "power": _PLANS,
    "samples_needed": _PLANS,
    "one_run_bound": (*_ONE_RUN, _ALL, _ALL | {"method": "bits-hoeffding", "included": 50}),
    "one_run_mu_bound": ({"method": "abstain"}, {"method": "bits", "guesses": 100}),
    "tune_one_run": _ONE_RUN,
    "one_run_score_bound": (
        {"quantity": "mu", "delta": None},
        {"family": "gaussian"},
        {"independence": Make(canaries_tested)},
    ),
    "canary_independence": ({"data": Make(score_table)},),
    "OneRun.guess": ({"threshold": None, "k_in": 3, "k_out": 5},),
    "OneRun": ({"ids": np.arange(40)}, {"larger_is_member": False}),
    "judge": (*_CLAIMS, {"claim": Make(OBJECTS["LaplacePair"])}),
    "audit_mechanism": (
        *_CLAIMS,
        *({"datasets": name} for name in ("grid", "bandit")),
        *({"testers": (name,)} for name in ("hockey-stick", "mmd")),
        {"testers": ("renyi",), "claim": "renyi(2, 0.5)"},
        {"datasets": PAIR, "neighboring_relation": "add-remove", "anytime": True},
    ),
    "test_samples": (
        {"tester": "histogram"},
        {"tester": "mmd"},
        {"tester": "renyi", "claim": "renyi(2, 0.5)"},
    ),
    "learn_ordering_nd": ({"share": 0.5}, {"clusters": (np.arange(300), np.arange(300, 600))}),
    "learn_ordering_in_order": ({"warm_up": 32},),
    "AnytimeVectorAudit": ({"quantity": "mu", "delta": None}, {"warm_up": 32}),
    "anytime_path": ({"quantity": "mu", "delta": None}, {"ratio": (1, 2)}),
    "AnytimeAudit": ({"quantity": "total variation", "delta": None}, {"ratio": (2, 1)}),
    "epsilon": (
        {"bound": "renyi"},
        {"bound": "generic"},
        {"bound": "generic", "mu": None, "base": Make(OBJECTS["DPSGDPair"])},
        *({"runs": Make(OBJECTS[name])} for name in ("PointMass", "Poisson", "Table")),
        {"mu": None, "base": Make(OBJECTS["LaplacePair"])},
    ),
    "worst_order": ({"mu": None, "base": Make(OBJECTS["LaplacePair"])},),
    "simulate": (*_SCORES, {"observed": "output"}, {"runs": Make(OBJECTS["Poisson"])}),
    "tradeoff_curve": _SCORES[::2],
    "reduced_mu": ({"reduction": "O"},),
    "noise_multiplier_for": ({"neighboring_relation": "substitute"},),
    "DPSGDPair": ({"neighboring_relation": "substitute"},),
    "Scores": (
        {"nonfinite": "drop"},
        {"clusters": (np.arange(60) // 2, 100 + np.arange(60) // 2), "cluster_rule": "max"},
        {"larger_is_member": False},
    ),
    "compare": ({"fpr": None},),
}

#: Parameter -> a valid value, wherever it has no default.
BY_NAME: dict[str, Any] = {
    "scores": Make(scores),
    "delta": 1e-5,
    "epsilon": 0.5,
    "mu": 0.5,
    "confidence": 0.95,
    "alpha": [0.1, 0.5],
    "fpr": 0.1,
    "score": [0.5, 1.0],
    "n": 30,
    "k": 2,
    "z": [0.5, 1.0],
    "log_z": [-0.5, 0.0],
    "band": Make(band),
    "claim": "gdp(1)",
    "runs": Make(runs),
    "sigma": 1.0,
    "reason": "chosen after looking",
    "order": 2.0,
    "x": 0.7,
    "value": 0.3,
    "key": "kept",
    "fpr_upper": 0.1,
    "fnr_upper": 0.2,
}


@dataclass(frozen=True)
class Call:
    """Something public that can be called, and how."""

    name: str
    parameters: tuple[str, ...]
    constructs: bool = False

    def function(self) -> Callable[..., Any]:
        """It, of a fresh object where it is a method."""
        owner, _, method = self.name.partition(".")
        found = public(owner)
        if not method:
            return found
        static = inspect.getattr_static(found, method)
        of = found if isinstance(static, (classmethod, staticmethod)) else OBJECTS[owner]()
        return getattr(of, method)

    @property
    def variants(self) -> tuple[dict[str, Any], ...]:
        """What may be changed so that it stays valid; nothing, first of all."""
        return ({}, *VARIANTS.get(self.name, ()))

    def arguments(self, variant: int = 0) -> dict[str, Any]:
        """Its valid arguments, made afresh."""
        own = OWN.get(self.name)
        given = dict(own or {})
        if self.constructs and own is None:
            like = OBJECTS[self.name]()
            if dataclasses.is_dataclass(like):
                given = {f.name: getattr(like, f.name) for f in dataclasses.fields(like) if f.init}
        for name, parameter in inspect.signature(public_call(self.name)).parameters.items():
            if name == "self" or parameter.kind is parameter.VAR_KEYWORD or name in given:
                continue
            if parameter.default is parameter.empty:
                given[name] = BY_NAME[name]
        given |= self.variants[variant]
        return {
            name: value.factory() if isinstance(value, Make) else value
            for name, value in given.items()
        }


def public(name: str) -> Any:
    homes = (wb, wb.selection, wb.training)
    return getattr(next(home for home in homes if name in home.__all__), name)


def public_call(name: str) -> Any:
    owner, _, method = name.partition(".")
    return getattr(public(owner), method) if method else public(owner)


def calls() -> list[Call]:
    """All that is public and can be called.

    Raises
    ------
    KeyError
        There is no valid example of an argument: add it to `OWN`, `OBJECTS` or `BY_NAME`.
    """
    return list(_calls())


def _calls() -> Iterator[Call]:
    for name in dict.fromkeys([*wb.__all__, *wb.selection.__all__, *TRAINING]):
        thing = public(name)
        if name in SKIPPED or not callable(thing):
            continue
        is_class = inspect.isclass(thing)
        yield Call(name, _parameters(thing), constructs=is_class)
        for method in dir(thing) if is_class else ():
            static = inspect.getattr_static(thing, method)
            if (
                method.startswith("_")
                or method in PROTOCOL
                or f"{name}.{method}" in UNNAMED
                or not (
                    inspect.isfunction(static) or isinstance(static, (classmethod, staticmethod))
                )
            ):
                continue
            yield Call(f"{name}.{method}", _parameters(getattr(thing, method)))


def _parameters(function: Any) -> tuple[str, ...]:
    found = inspect.signature(function).parameters.values()
    return tuple(p.name for p in found if p.name != "self" and p.kind is not p.VAR_KEYWORD)
