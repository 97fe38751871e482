"""A valid call of every public function, constructor and method: what odd arguments start from."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
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
from workbench.bounds.counts.intervals import INTERVALS
from workbench.bounds.quantities import Epsilon
from workbench.estimators.histogram import RULES
from workbench.pairs.families.registry import family_named
from workbench.pairs.own.kinds import PAIR_KINDS
from workbench.scores.sample import MOVED as OF_SCORES
from workbench.scores.table import DataTable
from workbench.text.draws import Draws
from workbench.trackers.runs import TrackedRun
from workbench.workspaces.workspace import MOVED as OF_WORKSPACES

#: Public names without examples: errors, abstract classes, and `View` (it raises AttributeError)
#: with `Dashboard`, which holds views.
SKIPPED = (
    "AccountantError", "ArchiveError", "Claim", "DivergenceError", "Finder", "FittedWitness",
    "MissingPackage", "TableLayout",
    "NoBoundError", "Pair", "ReportError", "RunCount", "Score", "ScoresError", "Tester", "View",
    "WorkspaceError", "CanaryMechanism", "ParameterError", "RunFolderError", "TrainingAudit",
    "TrainingPlanError", "Dashboard", "Attack", "SyntheticTablesError", "Generator",
    "GeneratorError", "CanaryTextError", "EvidenceError", "LogProbabilityError", "LabelsError",
)  # fmt: skip

#: Methods of pairs and claims that bounds and testers call with arguments checked before.
PROTOCOL = (
    "draw_p", "draw_q", "symmetric_local_mu", "revealing_alphas", "min_tradeoff",
    "easiest_to_refute", "lower_bound", "parameter_bound", "why_any_renyi", "with_parameter",
    "add", "gradients", "layers", "norms", "products", "enough_runs", "recognize",
)  # fmt: skip

#: Names of ``wb.live`` and ``wb.text`` that take what PyTorch made, which every process would have
#: to import, or need a trainer that is not installed.
OF_TORCH = (
    "insert_tensors", "opacus_canaries", "watch_opacus", "watch_torch", "causal_model",
    "CausalModel", "record_losses", "hugging_face_callback", "lightning_callback",
)  # fmt: skip

#: The limits of a rate are a module without ``__all__``.
BINOMIAL = tuple(
    name for name, made in inspect.getmembers(wb.binomial, inspect.isfunction)
    if made.__module__ == wb.binomial.__name__
)  # fmt: skip

#: Modules with public names; a name is looked up in the first that has it.
HOMES = (
    wb, wb.selection, wb.training, wb.onerun, wb.mechanisms, wb.live, wb.teaching, wb.synthetic,
    wb.populations, wb.text, wb.trackers,
)  # fmt: skip

#: What is not found in this way.
NAMED: dict[str, Any] = {
    "LiveAudit": wb.live.Audit,
    "synthetic_example": wb.synthetic.example,
    **{name: getattr(wb.binomial, name) for name in BINOMIAL},
}

#: Methods of parts that public objects have.
PARTS = {
    "Workspace": tuple(OF_WORKSPACES.values()),
    "Scores": tuple(OF_SCORES.values()),
    "CountedScores": tuple(OF_SCORES.values()),
}

#: What takes any number of arguments, which have no names; one that `CanaryAudit.observe`
#: calls in a step under way; one that trains for minutes.
UNNAMED = (
    "category", "text", "dashboard", "Archive.compare", "GradientCanaries.observe",
    "PositiveControl.verdict",
)  # fmt: skip

#: Statements about privacy loss, and pairs of labels, which have no scores: these calls are refused
#: as they are.
REFUSED = (
    *(
        f"{pair}.{method}"
        for pair in (
            *("FixedBatchPair", "ProfileTablePair", "RenyiPair", "ShuffledPair"),
            "TruncatedBatchPair",
        )
        for method in ("privacy_loss", "sample")
    ),
    "LabelRun.as_scores",
)

PAIR = (np.array([1.0, 0.0]), np.array([1.0]))

#: The tables of an audit of a synthetic table.
TABLES = ("train", "holdout", "synthetic")

FAMILY = family_named("gaussian")

FRAME = pd.DataFrame({"id": [1, 1, 2], "x": [0.5, 0.25, 1.0], "y": ["a", "b", "a"]})


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


def one_noisy_sum(prng: np.random.Generator, queries: Any, scale: float) -> float:
    """A mechanism with another interface."""
    return float(np.sum(queries)) + prng.laplace(scale=scale)


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


def ranked() -> pd.DataFrame:
    return pd.DataFrame({"rank": [1, 3, 1, 800], "candidates": 1000})


@functools.cache
def random_half() -> wb.OneRun:
    rng = np.random.default_rng(0)
    included = np.repeat([True, False], 20)
    return wb.OneRun(rng.normal(size=40) + included, included, design="fixed-half", seed=1)


def records(n: int, seed: int) -> pd.DataFrame:
    """A table of people."""
    rng = np.random.default_rng(seed)
    columns = {"age": rng.integers(18, 90, n), "city": rng.choice(["Oslo", "Rome", "Lima"], n)}
    return pd.DataFrame({**columns, "pay": rng.lognormal(10, 1, n)})


def three_tables() -> dict[str, Any]:
    """A training, a holdout and a synthetic table, which has copies of training records."""
    train, holdout = wb.synthetic.split_by_coin(records(160, 0), seed=1)
    made = pd.concat([records(60, 2), train[:20]], ignore_index=True)
    return {"train": train, "holdout": holdout, "synthetic": made}


#: The law of the labels of forty records, and labels.
LABEL_LAW = np.random.default_rng(0).dirichlet([1, 1, 1], size=40)
LABELS = [int(np.searchsorted(row.cumsum(), 0.4)) for row in LABEL_LAW]


@functools.cache
def label_game() -> wb.LabelGame:
    return wb.LabelGame(LABELS, LABEL_LAW, seed=1)


def local_protocol() -> wb.mechanisms.LocalProtocol:
    return wb.mechanisms.local_protocol("k-randomized-response", values=3, epsilon=1.0)


@functools.cache
def synthetic_tables() -> wb.synthetic.SyntheticTables:
    return wb.synthetic.read_synthetic_tables(**three_tables(), seed=1)


def coin_texts() -> Any:
    return wb.text.identifiers(60, "md5", design="coin", template="{i} {secret}", seed=1)


def valued_texts() -> Any:
    return wb.text.identifiers(60, "md5", values=20, template="{i} {secret}", seed=1)


def log_prob(texts: Any) -> Any:
    """Log-probabilities of the characters of texts, of a model that knows nothing."""
    return [-np.array([1.0 + ord(letter) % 7 for letter in one]) for one in texts]


def letters(texts: Any, add_special_tokens: bool = False) -> Any:
    """A tokenizer of characters."""
    return {"input_ids": [[ord(letter) for letter in one] for one in texts]}


def saved_texts() -> str:
    coin_texts().save("texts.json")
    return "texts.json"


@functools.cache
def shift() -> wb.ShiftCheck:
    return wb.shift_check(*populations().values(), seed=1)


def populations() -> dict[str, Any]:
    """Features of members and of non-members."""
    rng = np.random.default_rng(0)
    return {
        "members": rng.normal(1, 1, (60, 2)), "non_members": rng.normal(0, 1, (60, 2)),
    }  # fmt: skip


def given_run(leak: float = 1.0) -> wb.OneRun:
    """A run of members that nobody drew."""
    included = np.repeat([True, False], 40)
    scores = np.random.default_rng(0).normal(leak * included)
    return wb.OneRun(scores, included, design="given", seed=1)


def three_models() -> dict[str, Any]:
    """Scores under an original, an unlearned and a retrained model."""
    rng = np.random.default_rng(0)
    names = ("original", "unlearned", "retrained")
    return {name: rng.normal(mu, 1, 60) for name, mu in zip(names, (1, 0, 0), strict=True)}


def unlearned() -> wb.Unlearning:
    return wb.unlearning(**three_models(), epsilon=1.0, delta=0.1)


@functools.cache
def synthetic_audit() -> wb.SyntheticAudit:
    return wb.SyntheticAudit(**three_tables(), attacks=["distance"], seed=1)


def marginals(kind: type[Any] = wb.synthetic.PrivateMarginals, **more: Any) -> Any:
    """A generator of tables such as `records`, which is fitted."""
    columns = {"age": range(18, 90), "city": ["Oslo", "Rome", "Lima"], "pay": (0.0, 1e6)}
    return kind(wb.TableDomain(columns), "pure(1)", **more).fit(records(60, 0), seed=1)


@functools.cache
def threat_view() -> Any:
    """What attacks of threats see of these tables."""
    from workbench.synthetic.threats.view import ThreatView

    return ThreatView.of(synthetic_tables())


@functools.cache
def halves() -> wb.ScoreTable:
    """Four models, each with a random half of twenty records."""
    rng = np.random.default_rng(0)
    member = np.stack([rng.permutation(np.repeat([True, False], 10)) for _ in range(4)])
    return wb.ScoreTable(rng.normal(size=(4, 20)) + member, member)


def canaries_tested() -> wb.CanaryIndependence:
    return wb.canary_independence(one_run(), permutations=19)


@functools.cache
def audited() -> wb.MechanismAudit:
    """A violation."""
    return wb.audit_mechanism(
        lambda dataset, size, rng: np.sum(dataset) + rng.laplace(scale=0.05, size=size),
        "pure(1)",
        [(np.ones(2), np.ones(1))],
        testers=("histogram",),
        trials=1,
        samples=200,
        domain=wb.Domain(),
    )


@functools.cache
def network() -> wb.training.Network:
    return wb.training.Network((4, 3, 2))


def labeled_data() -> wb.training.LabeledData:
    return wb.training.LabeledData(np.eye(4), np.array([0, 1, 1, 0]), 2)


@functools.cache
def few_data() -> wb.training.LabeledData:
    rng = np.random.default_rng(0)
    return wb.training.LabeledData(rng.normal(size=(60, 4)), np.arange(60) % 2, 2)


@functools.cache
def settings() -> wb.training.DPSGDSettings:
    return wb.training.DPSGDSettings(
        network(), 2, sample_rate=0.2, noise_multiplier=1.0, expected_batch=10, optimizer="sgd"
    )


def training_audit(kind: str, **more: Any) -> Callable[[], Any]:
    return lambda: wb.training.AUDITS[kind](settings(), few_data(), 8, **more)


@functools.cache
def training_run() -> wb.training.TrainingRun:
    return wb.training.run_training_audit(OBJECTS["BlackBox"](), executor=Here())


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
    return wb.workspace().files.keep("canaries.csv", b"score,included")


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
    "CountInterval": lambda: INTERVALS["clopper-pearson"],
    "PairKind": lambda: PAIR_KINDS["laplace"],
    "ClaimArgument": lambda: wb.GDP.arguments[0],
    "ClaimFields": lambda: wb.ClaimFields(unit="user", neighbors="substitute"),
    "LabeledScores": lambda: wb.LabeledScores("a tool", "score", "label"),
    "PairOfColumns": lambda: wb.PairOfColumns("a tool", "in_x", "out_x"),
    "PairOfFiles": lambda: wb.PairOfFiles("a tool", r"in_(\w+)", r"out_(\w+)"),
    "Recognized": lambda: wb.Recognized("a tool", ("x",), {"x": "y"}),
    "FoundTable": lambda: wb.FoundTable(np.ones((2, 3)), np.eye(2, 3, dtype=bool), "here"),
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
    "AdaptedMechanism": lambda: wb.mechanism_from(noisy_sum, "pure(1)"),
    "Mechanism": lambda: wb.mechanism("noisy-max"),
    "Histogram": functools.cache(lambda: wb.histogram(scores(), 8)),
    "Roc": functools.cache(lambda: wb.roc(scores())),
    "BinormalFit": functools.cache(lambda: wb.binormal_fit(scores())),
    "ExposureCurve": functools.cache(lambda: wb.exposure_curve(scores(), [2, 5])),
    "BinWidthCurve": functools.cache(lambda: wb.bin_width_curve(scores(), widths=[0.2, 0.5])),
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
    "ShuffledPair": lambda: wb.ShuffledPair(2.0, 10),
    "BallsInBinsPair": functools.cache(lambda: wb.BallsInBinsPair(2.0, 10)),
    "BandedMatrixPair": functools.cache(
        lambda: wb.BandedMatrixPair(2.0, (1.0, 0.5), 6, sample_rate=0.1)
    ),
    "LastIteratePair": lambda: wb.LastIteratePair(1.0, 0.1, 10),
    "RandomizedResponsePair": lambda: wb.RandomizedResponsePair(1.0, 1e-5),
    "SubsampledGaussianPair": lambda: wb.SubsampledGaussianPair(0.25, 0.5),
    "Ends": lambda: wb.Ends(3, 4),
    "Guesses": lambda: wb.Guesses(100, 60, 45, included=52),
    "Ranks": lambda: wb.Ranks([1, 3, 1, 800], 1000, ids=list("abcd")),
    "Exposure": lambda: wb.exposure([1] * 30 + [400] * 70, values=1000, delta=1e-5),
    "Threshold": lambda: wb.Threshold(0.5),
    "GuessVerdict": lambda: wb.judge_guesses(wb.Guesses(1000, 100, 95), "approx(1, 1e-5)"),
    "SyntheticAudit": synthetic_audit,
    "SyntheticTables": synthetic_tables,
    "AttackScores": lambda: synthetic_audit().attacks[0],
    "AttackView": lambda: wb.synthetic.AttackView.of(synthetic_tables()),
    "AuditedColumn": lambda: synthetic_tables().columns[0],
    "CoinSplit": lambda: wb.synthetic.split_by_coin(records(60, 0), seed=1),
    "SplitTest": lambda: synthetic_audit().split_test,
    "ShiftCheck": shift,
    "Panoramia": lambda: wb.panoramia(given_run(), given_run(3.0)),
    "Unlearning": unlearned,
    "RelativeDistance": lambda: unlearned().closer,
    "Threat": lambda: synthetic_audit().threats([wb.synthetic.Copies(exact=True)])[0],
    "ApproximateRisk": lambda: OBJECTS["Threat"]().approximate,
    "SinglingOut": lambda: wb.synthetic.SinglingOut(columns=2, attacks=20),
    "Linkability": lambda: wb.synthetic.Linkability((("age",), ("city", "pay"))),
    "Inference": lambda: wb.synthetic.Inference("city", known=("age",)),
    "Copies": lambda: wb.synthetic.Copies(within=0.25, attacks=50),
    "TableRemark": lambda: wb.synthetic.TableRemark("one column", "Only one is compared.", 1),
    "CopyingGenerator": lambda: wb.synthetic.CopyingGenerator(0.5).fit(records(60, 0)),
    "PrivateMarginals": marginals,
    "ForgottenMarginal": lambda: marginals(wb.synthetic.ForgottenMarginal, bins=4),
    "Targets": lambda: wb.synthetic.targets(records(60, 0), 3),
    "Canaries": valued_texts,
    "PatternLaw": lambda: wb.text.PatternLaw("[0-9a-f]{8}"),
    "ChosenSignal": lambda: wb.text.choose_signal(log_prob, coin_texts(), delta=1e-5),
    "Tuning": functools.cache(lambda: wb.tune_one_run(one_run(), delta=1e-5)),
    "LabelGame": label_game,
    "LabelRun": lambda: label_game().run(np.log(LABEL_LAW)),
    "LabelLawTest": lambda: wb.label_law_test(LABELS, LABEL_LAW, seed=1),
    "LocalProtocol": local_protocol,
    "LocalReportAudit": lambda: wb.audit_local_reports(local_protocol(), 50, seed=1),
    "OneRun": one_run,
    "MatchedPairs": functools.cache(lambda: wb.matched_pairs(random_half())),
    "HalfStability": functools.cache(lambda: wb.half_stability([random_half(), random_half()])),
    "CanaryIndependence": canaries_tested,
    "IndependenceCheck": lambda: canaries_tested().checks[0],
    "LeakingRecords": lambda: score_table().leaking(0.5, delta=1e-5),
    "RecordCount": lambda: score_table().exceeding(0.5, delta=1e-5),
    "Risk": lambda: wb.risk(scores(), baseline=0.1, claim="gdp(1)", prior=0.2),
    "RiskCurve": lambda: OBJECTS["Risk"]().curve([0.1, 0.5]),
    "RiskLimits": lambda: wb.risk("gdp(1)", baseline=0.1).odds,
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
    "Shrunk": functools.cache(lambda: audited().shrink(samples=200, tries=2)),
    "TableDomain": lambda: wb.TableDomain.of(FRAME, user="id"),
    "CanaryRun": functools.cache(lambda: wb.simulate_canaries(20, 10, 1.0)),
    "DataSet": lambda: workspace().dataset("kept"),
    "Workspace": workspace,
    "Feedback": lambda: wb.teaching.Feedback("right", "Right."),
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
    "Auditor": lambda: wb.onerun.Auditor("sharp"),
    "BitErrorCurves": lambda: wb.onerun.bit_error_curves(FAMILY, [0.5, 1.0]),
    "DPSGD": lambda: wb.onerun.DPSGD(2.0, 0.1, 3),
    "HypotheticalLimits": lambda: wb.onerun.hypothetical_limits(
        FAMILY, canaries=50, correct=40, delta=1e-5
    ),
    "InterferenceStudy": functools.cache(
        lambda: wb.onerun.interference_study(
            wb.onerun.SharedGaussian(1.0, 10), auditors(), **_STUDY, interference=(0.0, 0.1)
        )
    ),
    "Memoryless": lambda: wb.onerun.Memoryless(wb.GaussianPair(1.0)),
    "NameAndShame": lambda: wb.onerun.NameAndShame(0.2),
    "SharedGaussian": lambda: wb.onerun.SharedGaussian(1.0, 10, 0.1),
    "RandomDirections": lambda: wb.onerun.RandomDirections(1.0, 10),
    "DimensionStudy": functools.cache(
        lambda: wb.onerun.dimension_study(
            wb.onerun.RandomDirections(1.0, 10), auditors(), **_STUDY, dimensions=(5, 50)
        )
    ),
    "Study": functools.cache(
        lambda: wb.onerun.study(OBJECTS["Memoryless"](), auditors(), **_STUDY | {"canaries": [30]})
    ),
    "LiveState": lambda: live_audit().state,
    "LiveAudit": lambda: live_audit(),
    "CanaryAudit": lambda: wb.live.CanaryAudit(in_a_step(), steps=4),
    "GradientCanaries": lambda: wb.live.GradientCanaries.dirac(10, 23, sample_rate=0.5),
    "RecordCanaries": lambda: wb.live.RecordCanaries(4),
    "LogReceipt": lambda: wb.trackers.LogReceipt("dp_audit/epsilon", 0),
    "TrainingWatch": lambda: wb.live.watch_training(**of_training()),
    "AuditedRecord": lambda: wb.training.AuditedRecord("row", 1),
    "BestOfTrainings": functools.cache(lambda: wb.training.audit_best_of(**best_of())),
    "BlackBox": training_audit("black-box"),
    "CanariesInOneRun": training_audit("one-run", canaries=12, canary="row"),
    "FederatedCanaries": training_audit("federated", canaries=6),
    "GalleryRun": lambda: wb.training.GalleryRun("black-box-blank"),
    "InitialWeights": lambda: wb.training.InitialWeights("fixed", 1, 3),
    "LossScore": wb.training.LossScore,
    "ManyRecords": training_audit("many-records", records=4),
    "Model": lambda: settings().train(few_data(), np.random.default_rng(0)),
    "OneShot": training_audit("one-shot", audited=20),
    "PositiveControl": lambda: wb.training.positive_control("no-noise"),
    "Rows": lambda: training_run().rows,
    "TrainingPlan": lambda: wb.training.TrainingPlan(OBJECTS["BlackBox"](), 1, "gdp(1)"),
    "TrainingRun": training_run,
    "WhiteBox": training_audit("white-box"),
    "WhiteBoxOneRun": training_audit("white-box-one-run", canaries=12),
}


def of_training() -> dict[str, Any]:
    """Arguments of `wb.live.watch_training`."""
    audit = wb.live.CanaryAudit(wb.live.RecordCanaries(4), steps=4)
    return {"audit": audit, "score": lambda model: np.arange(4.0)}


class TextsByCoin:
    """Canaries of ``wb.text``, as far as `wb.live` reads them."""

    texts = ("a", "b", "c", "d")
    included = np.array([True, False, True, False])


class NoTracker(TrackedRun):
    """A run that takes everything."""

    kind, where, run = "none", "nowhere", "1"

    def send(self, entry: Any, tried: bool) -> None:
        """Nothing."""


def in_a_step() -> wb.live.GradientCanaries:
    """Canaries of which those of a step are inserted."""
    canaries = OBJECTS["GradientCanaries"]()
    canaries.insert(np.zeros((2, 23)))
    return canaries  # type: ignore[no-any-return]


@functools.cache
def rows_of(audit: str) -> wb.training.Rows:
    return wb.training.run_training_audit(OBJECTS[audit](), executor=Here()).rows


def best_of() -> dict[str, Any]:
    """Arguments of `wb.training.audit_best_of`."""
    few = few_data()
    return {
        "settings": settings(),
        "data": few,
        "runs": wb.selection.PointMass(2),
        "selections": 4,
        "validation": few,
    }


@functools.cache
def digits_audit() -> Any:
    how = dataclasses.replace(settings(), network=wb.training.Network((64, 10)))
    return wb.training.BlackBox(how, wb.training.labeled_data("digits").take(range(60)), 8)


def plan_file() -> Path:
    path = Path(tempfile.gettempdir()) / f"odd-calls-{os.getpid()}.toml"
    path.write_text(wb.training.TrainingPlan(digits_audit(), 1, "gdp(1)").to_toml())
    return path


@functools.cache
def run_folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix=f"odd-calls-{os.getpid()}"))
    wb.training.run_training_audit(digits_audit(), executor=Here(), folder=path)
    return path


def auditors() -> dict[str, wb.onerun.Auditor]:
    return {"sharp": OBJECTS["Auditor"]()}


def live_audit() -> wb.live.Audit:
    audit = wb.live.Audit(claim="gdp(1)")
    for p, q in zip(*scores(), strict=True):
        audit.add(p, True)
        audit.add(q, False)
    return audit


_COUNTS = {"tp": 40, "fp": 12, "tn": 48, "fn": 20}
_GUESSES = {"canaries": 100, "guesses": 60, "correct": 45}
_SAMPLES = {"p": np.linspace(0, 2, 400), "q": np.linspace(0, 1, 400), "claim": "pure(0.5)"}
_RISK = {"epsilon": None, "delta": None, "risk": 0.2, "baseline": 0.1}
_CHOOSE = {"log_rank": np.array([-0.5, -1.0]), "mu": 0.5}

_STUDY = {"delta": 1e-5, "canaries": 30, "seeds": 2}
_RUN = {"dataset": [0.0, 1.0], "size": 3, "rng": Make(np.random.default_rng)}
_USERS = _RUN | {"dataset": np.eye(3)}
_SIMULATED = ("DPSGD", "Memoryless", "NameAndShame", "RandomDirections", "SharedGaussian")
_COINS = {"included": np.eye(2, 6, dtype=bool)}
_SECTIONS = Make(lambda: digits_audit().parameters)
_OF_AUDITS: dict[str, dict[str, Any]] = {
    "generator": {"seed": 1, "index": 2},
    "score_model": {"index": 0, "rng": Make(np.random.default_rng)},
}
_AUDITS = tuple(kind.__name__ for kind in wb.training.AUDITS.values())

_DRAWN = {"count": 2, "size": 23, "rng": Make(np.random.default_rng)}
_MODEL = {"theta": np.zeros(23), "data": Make(labeled_data)}

#: Call -> its arguments, where their names do not tell.
OWN: dict[str, dict[str, Any]] = {
    **{f"{name}.plot": {"ax": Make(axes)} for name in OBJECTS},
    "plotly_figure": {"figure": Make(lambda: page_audit().figures[0].figure)},
    "save_figure": {"figure": Make(OBJECTS["Histogram"]), "path": Make(drawing)},
    **{
        f"{name}.from_functions": {"name": "mine", "profile": wb.LaplacePair(1).profile}
        for name in OBJECTS
    },
    "PairKind.default": {"argument": "mu"},
    "named_pair": {"name": "laplace", "mu": 1.0},
    "group_pair": {"pair": Make(OBJECTS["LaplacePair"]), "group": 2},
    "square_root_coefficients": {"bands": 3},
    "CountInterval.of_rates": {
        "label": "Mine",
        "guarantee": "pointwise",
        "lower": wb.binomial.clopper_pearson_lower,
        "upper": wb.binomial.clopper_pearson_upper,
    },
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
    "ComposedPair.from_history": {"history": [(2.0, 0.1, 3), (1.0, 0.2, 2)]},
    "ComposedPair.sample": {"n": 4},
    "Counts.bound": {"question": Make(lambda: Epsilon(delta=1e-5))},
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
    "TableDomain": {"columns": {"x": (0.0, 1.0), "y": ["a", "b"]}},
    "TableDomain.of": {"frame": FRAME, "user": "id"},
    "TableDomain.check": {"frame": FRAME},
    "TableDomain.column_of": {"relation": "user"},
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
    "mechanism_from": {"x": noisy_sum, "claim": "pure(1)"},
    "MechanismAudit.replay": {"mechanism": noisy_sum, "samples": 200},
    "MechanismAudit.shrink": {"samples": 200, "tries": 2},
    "MechanismAudit.save": {"path": "saved.json"},
    "MechanismAudit.load": {"path": "loaded.json"},
    "mu_from_counts": _COUNTS,
    "multiply_e_values": {"values": Make(lambda: [OBJECTS["EValue"]()] * 2)},
    "NegativeBinomial.from_mean": {"eta": 1.0, "mean": 5.0},
    "noise_multiplier_for": {"epsilon": 2.0, "delta": 1e-5, "sample_rate": 1.0, "steps": 1},
    "gaussian_mu_for": {"epsilon": 2.0, "delta": 1e-5},
    "gaussian_sigma_for": {"epsilon": 2.0, "delta": 1e-5},
    "laplace_scale_for": {"epsilon": 2.0},
    "risk": {"of": "gdp(1)", "baseline": 0.1},
    "Risk.at": {"baseline": 0.2},
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
    "judge_guesses": {"guesses": Make(lambda: wb.Guesses(1000, 100, 95))},
    "SyntheticAudit": {name: Make(lambda name=name: three_tables()[name]) for name in TABLES}
    | {"attacks": ["distance"], "seed": 1},
    "SyntheticAudit.epsilon": {"delta": 1e-5},
    "SyntheticAudit.judge": {"claim": "approx(1, 1e-5)"},
    "SyntheticAudit.attack": {"name": "distance"},
    "SyntheticTables.combined": {"of_records": np.arange(160.0)},
    "read_synthetic_tables": {name: Make(lambda name=name: three_tables()[name]) for name in TABLES}
    | {"seed": 1},
    "SyntheticAudit.threats": {"attacks": [wb.synthetic.Copies(exact=True)]},
    **{
        f"{name}.run": {"view": Make(threat_view), "chance": Make(lambda: np.random.default_rng(0))}
        for name in ("SinglingOut", "Linkability", "Inference", "Copies")
    },
    "AttackView.of": {"tables": Make(synthetic_tables)},
    "SplitTest.of": {"tables": Make(synthetic_tables)},
    "shift_check": {
        name: Make(lambda name=name: populations()[name]) for name in ("members", "non_members")
    }
    | {"seed": 1},
    "ShiftCheck.as_given": {"audited": Make(given_run)},
    "ShiftCheck.epsilon": {"delta": 1e-5},
    "panoramia": {"baseline": Make(given_run), "attack": Make(lambda: given_run(3.0))},
    "pointwise_correction": {"run": Make(given_run), "propensity": np.full(80, 0.5)},
    "unlearning": {
        name: Make(lambda name=name: three_models()[name])
        for name in ("original", "unlearned", "retrained")
    }
    | {"epsilon": 1.0, "delta": 0.1},
    "Bound.as_estimate": {"why": "nobody drew", "assumption": "one population"},
    "split_by_coin": {"table": Make(lambda: records(60, 0))},
    "split_script": {},
    "generate": {
        "generator": Make(OBJECTS["CopyingGenerator"]),
        "table": Make(lambda: records(60, 0)),
        "rows": 20,
        "seed": 1,
    },
    "generator_runs": {
        "generator": Make(OBJECTS["CopyingGenerator"]),
        "table": Make(lambda: records(60, 0)),
        "runs": 4,
        "targets": 1,
        "executor": Make(Here),
    },
    "targets": {"table": Make(lambda: records(60, 0)), "k": 3},
    "example_generator": {"name": "private"},
    "synthetic_example": {"name": "leaking", "seed": 1},
    "CopyingGenerator": {"share": 0.5},
    "CopyingGenerator.fit": {"table": Make(lambda: records(60, 0))},
    "CopyingGenerator.sample": {"n": 5},
    "PrivateMarginals": {
        "domain": Make(lambda: marginals().domain),
        "claim": "pure(1)",
        "parents": {"city": "age"},
        "bins": 4,
    },
    "PrivateMarginals.fit": {"table": Make(lambda: records(60, 0))},
    "PrivateMarginals.counts": {"table": Make(lambda: records(60, 0))},
    "PrivateMarginals.sample": {"n": 5},
    "ForgottenMarginal": {
        "domain": Make(lambda: marginals().domain),
        "claim": "pure(1)",
        "joint": ("age", "pay"),
    },
    "ForgottenMarginal.fit": {"table": Make(lambda: records(60, 0))},
    "ForgottenMarginal.counts": {"table": Make(lambda: records(60, 0))},
    "ForgottenMarginal.sample": {"n": 5},
    "new_tokens": {"count": 20, "template": "{i} {secret}", "seed": 1},
    "random_sequences": {"count": 20, "vocabulary": ["a", "b", "c"], "length": 9, "seed": 1},
    "identifiers": {"count": 20, "kind": "md5", "seed": 1},
    "found_identifiers": {"texts": Make(lambda: list(valued_texts().texts)), "kind": "md5"},
    "Canaries": {
        "before": ("a ", "b "),
        "secrets": ("17", "18"),
        "after": ("", "."),
        "design": "coin",
        "seed": 1,
    },
    "Canaries.candidates": {"canary": 1},
    "Canaries.save": {"path": "texts.json"},
    "Canaries.load": {"path": Make(saved_texts)},
    "PatternLaw": {"pattern": "[0-9a-f]{8}"},
    "PatternLaw.text": {"number": 3},
    "PatternLaw.draw": {"draws": Make(lambda: Draws(1, "secrets")), "count": 3},
    "check_unseen": {"canaries": Make(coin_texts), "texts": ["other", "texts"]},
    "check_tokens": {"canaries": Make(coin_texts), "tokenizer": letters},
    "score": {"model_log_prob": log_prob, "canaries": Make(coin_texts)},
    "choose_signal": {
        "model_log_prob": log_prob,
        "canaries": Make(coin_texts),
        "delta": 1e-5,
    },
    "OneRun.guess": {"threshold": 0.5},
    "OneRun.random_order": {"use": "ties"},
    "OneRun.part": {"rows": np.arange(40) < 20},
    "one_run_bound": {**_GUESSES, "delta": 1e-5},
    "one_run_mu_bound": _GUESSES,
    "exposure": {"ranks": [1, 3, 1, 800], "values": 1000, "delta": 1e-5},
    "Ranks.guesses": {},
    "Ranks.of_scores": {"candidates": np.eye(3), "true": [0, 1, 1]},
    "one_run_score_bound": {"run": Make(one_run), "delta": 1e-5},
    "canary_independence": {"data": Make(one_run), "permutations": 19},
    "matched_pairs": {"run": Make(random_half)},
    "half_stability": {"runs": Make(lambda: [random_half(), random_half()])},
    "LabelGame.plan": {"labels": LABELS, "classes": [0, 1, 2], "seed": 1},
    "LabelGame.differences": {"label_scores": LABEL_LAW},
    "LabelGame.run": {"label_scores": LABEL_LAW},
    "LabelGame.guess": {"label_scores": LABEL_LAW},
    "LabelGame.epsilon": {"label_scores": LABEL_LAW, "delta": 1e-5},
    "LabelRun.guess": {"threshold": 0.0},
    "LabelRun.random_order": {"use": "ties"},
    "LabelRun.part": {"rows": np.arange(label_game().pairs.records.size) % 2 == 0},
    "label_law_test": {"labels": LABELS, "probabilities": LABEL_LAW, "seed": 1},
    "audit_local_reports": {"protocol": Make(local_protocol), "users": 50, "seed": 1},
    "LocalProtocol.reports_of": {"values": [0, 2, 1], "seed": 1},
    "LocalProtocol.scores_of": {"reports": [0, 2, 1]},
    "local_protocol": {"name": "k-randomized-response", "values": 3, "epsilon": 1.0},
    "MatchedPairs.guess": {"threshold": 0.0},
    "MatchedPairs.random_order": {"use": "ties"},
    "MatchedPairs.part": {"rows": np.arange(20) < 12},
    "MatchedPairs": {"run": Make(random_half)}
    | {
        name: Make(lambda name=name: getattr(OBJECTS["MatchedPairs"](), name))
        for name in ("scores", "included", "first", "second")
    },
    "tradeoff_curve": {"mu": 0.5},
    "workspace": {"path": "kept"},
    "Workspace.kept.bring": {
        "tables": Make(lambda: [kept_table()]),
        "source": Make(lambda: workspace().dataset("kept").source),
        "reading": Make(lambda: workspace().dataset("kept").reading),
        "name": "brought",
    },
    "Workspace.add": {"tables": Make(lambda: [kept_table()])},
    "Workspace.table": {"key": "example:digits-records"},
    "Workspace.add_table": {"table": Make(score_table)},
    "Workspace.chosen_here": {"kind": "scores"},
    "Workspace.catalog.borrow": {"base": Make(lambda: workspace())},
    "Workspace.active.key": {"kind": "scores"},
    "Workspace.active.choose": {"key": "example:gaussian"},
    "Workspace.openings.time": {"sha256": "0" * 64},
    "Workspace.openings.find": {"sha256": "0" * 64, "data": Make(scores)},
    "Workspace.find": {"sha256": "0" * 64},
    "Workspace.files.keep": {"name": "canaries.csv", "content": b"0,1"},
    "Workspace.page_states.keep": {"page": "scores", "settings": {"threshold": 0.5}},
    "Workspace.openings.note_tables": {"tables": Make(lambda: [kept_table()])},
    "Workspace.page_states.get": {"page": "scores"},
    "Workspace.kept.promise": {"key": "kept", "claim": "approx(2, 1e-5)"},
    "Workspace.kept.rename": {"key": "kept", "name": "losses"},
    "Workspace.kept.reread": {
        "key": "kept",
        "reading": Make(lambda: workspace().dataset("kept").reading),
        "seen": True,
    },
    "Workspace.storage.require_room": {"more": 1000},
    "Workspace.kept.revert": {"state": Make(lambda: workspace().kept.snapshot())},
    "Workspace.changes.watch": {"callback": print},
    "Workspace.changes.unwatch": {"callback": print},
    "Workspace.file": {"sha256": "0" * 64},
    "worst_order": {"mu": 0.5, "delta": 1e-5},
    "RandomizedResponsePair.privacy_loss": {"score": [0, 3]},
    "Ordering.apply": {"x": [0.5, 1.0]},
    "parametric_bound": {"family": "gaussian", "delta": 1e-5},
    "parse_claim": {"text": "gdp(1)"},
    "plan_distribution": {"pair": Make(OBJECTS["GaussianPair"]), "n": 30, "delta": 1e-5, "reps": 3},
    "gdp_regret": {"curve": Make(OBJECTS["LaplacePair"]), "floor": 1e-6},
    "meeting_point": {"pair": Make(OBJECTS["LaplacePair"]), "floor": 1e-6},
    "check": {"answer": 4.0, "truth": lambda: 4.38, "within": 0.01},
    "mu_from_profile": {"delta": 0.1, "epsilon": 0.5},
    "mu_from_total_variation": {"tv": 0.5},
    "pair_from_total_variation": {"total_variation": 0.2},
    "epsilon_from_total_variation": {"family": "gaussian", "delta": 1e-5},
    "of_one_record": {"bound": Make(OBJECTS["Bound"]), "group": 2},
    "exposure_of_rank": {"rank": [1, 4], "k": 8},
    **{
        name: {"tradeoff": Make(OBJECTS["GaussianPair"]), "k": 8}
        for name in ("expected_exposure", "exposure_limit")
    },
    "exposure_curve": {"candidates": [2, 3]},
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
    "read_ranks": {"path": Make(ranked)},
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
            "samples.below_counts": {"x": [0.0, 0.5]},
            "samples.in_score_units": {"t": [0.0, 0.5]},
            "samples.moments": {"unit": 2.0},
            "samples.most_member_like_q": {"rank": [1, 2]},
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
    **{
        name: _USERS if name.startswith(("svt", "noisy_max", "prefix_sum_user")) else _RUN
        for name in wb.mechanisms.__all__
        if name.islower()
        and "gallery" not in name
        and name not in ("mechanism", "mechanism_from", "local_protocol")
    },
    "numeric": {"low": 0.0, "high": 1.0},
    "integer": {"low": 0, "high": 9},
    "dp_gd": _RUN | {"sigma": 1.0},
    **{name: _RUN | {"sigma": 1.0} for name in wb.mechanisms.__all__ if "gaussian_mean" in name},
    **{name: {"k": [2, 5], "n": 10, "error": 0.05} for name in BINOMIAL},
    "order_statistic_tail_upper": {"rank": [2, 5], "n": 10, "error": 0.05},
    "miss_probability": {
        "rate": [0.1, 0.5],
        "limit": wb.binomial.clopper_pearson_upper,
        "n": 10,
        "error": 0.05,
    },
    **{f"{name}.draw": _COINS | {"rng": Make(np.random.default_rng)} for name in _SIMULATED},
    **{f"{name}.run": {"canaries": 6} for name in _SIMULATED},
    "Auditor.bounds": {"canaries": 30, "correct": [20, 25]},
    "Auditor.correct": _COINS | {"mechanism": Make(OBJECTS["Memoryless"]), "scores": np.eye(2, 6)},
    "Auditor.guesses": {"canaries": 30},
    "Study.mean": {"name": "sharp"},
    "Study.range": {"name": "sharp"},
    "InterferenceStudy.mean": {"name": "sharp"},
    "DimensionStudy.mean": {"name": "sharp"},
    "abstentions": {"canaries": 30},
    "bit_error_curves": {"family": FAMILY, "leak": [0.5, 1.0]},
    "false_claims": {
        "mechanism": Make(OBJECTS["Memoryless"]),
        "auditor": Make(OBJECTS["Auditor"]),
        "canaries": 30,
        "delta": 1e-5,
        "runs": 3,
    },
    "growth": {
        "mechanism": Make(OBJECTS["Memoryless"]),
        "family": "gaussian",
        "delta": 1e-5,
        "canaries": (30,),
        "seeds": 2,
    },
    "hypothetical_limits": {"family": FAMILY, "canaries": 50, "correct": 40, "delta": 1e-5},
    "dimension_study": _STUDY
    | {
        "mechanism": Make(OBJECTS["RandomDirections"]),
        "auditors": Make(auditors),
        "dimensions": (5, 50),
    },
    "interference_study": _STUDY
    | {"mechanism": Make(OBJECTS["SharedGaussian"]), "auditors": Make(auditors)},
    "study": _STUDY
    | {"mechanism": Make(OBJECTS["Memoryless"]), "auditors": Make(auditors), "canaries": [30]},
    "mutual_information": {"pair": Make(OBJECTS["GaussianPair"]), "prior": [0.1, 0.5]},
    "printed_bit_error": {"pair": Make(OBJECTS["GaussianPair"])},
    "CanaryAudit": {"canaries": Make(OBJECTS["GradientCanaries"]), "steps": 4},
    "CanaryAudit.observe": {"observed": np.zeros(23)},
    "CanaryAudit.passed": {"steps": 0},
    "CanaryAudit.skip": {"steps": 0, "reason": "not seen"},
    "GradientCanaries": {
        "directions": Make(lambda: wb.training.DiracCanaries([0, 3])),
        "size": 23,
        "sample_rate": 0.5,
    },
    **{
        f"GradientCanaries.{drawn}": {"count": 4, "size": 23, "sample_rate": 0.5}
        for drawn in ("dirac", "random")
    },
    "GradientCanaries.insert": {"gradients": np.zeros((2, 23))},
    "LiveAudit.add": {"score": 0.5, "member": True},
    "GradientCanaries.observe": {"observed": np.zeros(23)},
    "RecordCanaries": {"count": 4},
    "RecordCanaries.insert": {"data": np.zeros((3, 2)), "canaries": np.ones((4, 2))},
    "RecordCanaries.observe": {"observed": np.arange(4.0)},
    "RecordCanaries.require": {"given": np.arange(4.0)},
    **{
        name: {"audit": Make(lambda: of_training()["audit"]), "score": np.atleast_1d}
        for name in ("watch_training", "TrainingWatch")
    },
    "TrainingWatch.begin": {"model": None},
    "TrainingWatch.step": {"model": None, "number": 1},
    "TrainingWatch.end": {"model": None},
    "text_canaries": {"canaries": Make(TextsByCoin)},
    "text_scores": {"canaries": Make(TextsByCoin), "tokenizer": None},
    "log": {"result": Make(lambda: wb.mu_from_counts(**_COUNTS)), "run": Make(NoTracker)},
    "flush": {"run": Make(NoTracker)},
    **{f"{name}.{method}": given for name in _AUDITS for method, given in _OF_AUDITS.items()},
    **{
        f"{name}.from_parameters": {
            "parameters": Make(lambda name=name: OBJECTS[name]().parameters),
            "data": Make(few_data),
        }
        for name in _AUDITS
    },
    **{
        f"{name}.{method}": {"rows": Make(lambda name=name: rows_of(name)), "name": "rows"}
        for name in _AUDITS
        for method in ("collect", "two_samples")
    },
    "OneShot.matched_pairs": {"rows": Make(lambda: rows_of("OneShot"))},
    "OneShot.stability": {"rows": Make(lambda: rows_of("OneShot"))},
    "AuditedRecord.split": {"data": Make(few_data)},
    "InitialWeights.theta": {"settings": Make(settings), "others": Make(few_data)},
    "LossScore.of": {
        "network": Make(network),
        "model": Make(OBJECTS["Model"]),
        "records": Make(few_data),
    },
    "Rows.joined": {"parts": Make(lambda: [training_run().rows] * 2)},
    "Rows.of_models": {"models": [0, 2]},
    "Rows.one_model": {"model": 1, "included": [True, False], "score": [0.5, 1.0]},
    "TrainingPlan.of": {
        "sections": Make(lambda: wb.training.TrainingPlan(digits_audit()).sections)
    },
    "make_audit": {"parameters": _SECTIONS},
    "open_run": {"folder": Make(run_folder)},
    "positive_control": {"bug": "no-noise"},
    "read_plan": {"path": Make(plan_file)},
    "audit_best_of": {
        name: Make(functools.partial(lambda key: best_of()[key], name))
        for name in ("settings", "data", "runs", "selections", "validation")
    },
    "run_training_audit": {"audit": Make(OBJECTS["BlackBox"]), "executor": Make(Here)},
    "write_result": {"path": "result.parquet", "result": Make(scores)},
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

#: Those of all quantities; "katz-log" has ε and precision only.
_INTERVALS = tuple(name for name in INTERVALS if name != "katz-log")
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
        *({"rule": rule} for rule in RULES),
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
        {"source": Make(scores), "method": "likelihood", "confidence": 0.9},
    ),
    "hockey_stick_limits": ({"method": "canonne"},),
    "plan_distribution": _PLANS,
    "power": _PLANS,
    "samples_needed": _PLANS,
    "one_run_bound": (
        *_ONE_RUN,
        _ALL,
        _ALL | {"method": "bits-hoeffding", "included": 50},
        {"values": 1000, "top": 10},
    ),
    "exposure": (
        {"statistic": "sum", "delta": 0.0},
        {"top": (1, 10)},
        {"ranks": Make(OBJECTS["Ranks"]), "values": None},
    ),
    "Ranks.of_scores": ({"candidates": Make(lambda: iter(np.eye(3)))}, {"ids": list("abc")}),
    "one_run_mu_bound": ({"method": "abstain"}, {"method": "bits", "guesses": 100}),
    "tune_one_run": _ONE_RUN,
    "one_run_score_bound": (
        {"quantity": "mu", "delta": None},
        {"family": "gaussian"},
        {"independence": Make(canaries_tested)},
    ),
    "canary_independence": ({"data": Make(score_table)},),
    "OneRun.guess": ({"threshold": None, "k_in": 3, "k_out": 5},),
    "matched_pairs": (
        {"run": Make(lambda: random_half().as_scores())},
        {"within": np.arange(40) % 2},
    ),
    "half_stability": ({"runs": Make(halves)},),
    "OneRun": ({"ids": np.arange(40)}, {"larger_is_member": False}),
    "SyntheticAudit": ({"split": "fixed-size"}, {"split": "given", "claim": "gdp(1)"}),
    "SyntheticAudit.epsilon": ({"attack": "all"}, {"attack": "distance"}),
    "judge_guesses": ({"claim": "gdp(1)"}, {"claim": Make(OBJECTS["LaplacePair"])}),
    "judge": (*_CLAIMS, {"claim": Make(OBJECTS["LaplacePair"])}),
    "audit_mechanism": (
        *_CLAIMS,
        *({"datasets": name} for name in ("grid", "bandit")),
        *({"testers": (name,)} for name in ("hockey-stick", "mmd")),
        {"testers": ("renyi",), "claim": "renyi(2, 0.5)"},
        {"datasets": PAIR, "neighboring_relation": "add-remove", "anytime": True},
        {"datasets": PAIR, "neighboring_relation": "stated"},
        {"mechanism": Make(lambda: functools.partial(one_noisy_sum, scale=1.0)), "samples": 50},
        {"claim": None, "delta": 1e-3},
    ),
    "mechanism_from": (
        {"x": one_noisy_sum, "call": "rng, queries=dataset, scale=seed"},
        {"pair": ([1.0, 1.0], [0.0, 0.0])},
        {"neighboring_relation": "substitute", "domain": wb.Domain(high=9)},
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
        {"bound": "composition"},
        {"bound": "any"},
        {"bound": "generic", "mu": None, "base": Make(OBJECTS["DPSGDPair"])},
        *({"runs": Make(OBJECTS[name])} for name in ("PointMass", "Poisson", "Table")),
        {"mu": None, "base": Make(OBJECTS["LaplacePair"])},
    ),
    "worst_order": ({"mu": None, "base": Make(OBJECTS["LaplacePair"])},),
    "simulate": (*_SCORES, {"observed": "output"}, {"runs": Make(OBJECTS["Poisson"])}),
    "tradeoff_curve": _SCORES[::2],
    "reduced_mu": ({"reduction": "O"},),
    "noise_multiplier_for": ({"neighboring_relation": "substitute"}, _RISK),
    "gaussian_mu_for": (_RISK,),
    "gaussian_sigma_for": (_RISK, {"epsilon": None, "delta": None, "advantage": 0.2}),
    "laplace_scale_for": (
        {"epsilon": None, "risk": 0.2, "baseline": 0.1},
        {"epsilon": None, "advantage": 0.2},
    ),
    "risk": (
        {"of": Make(scores), "claim": "gdp(1)", "prior": 0.1},
        {"of": Make(band), "attack": "attribute"},
        {"of": Make(counts), "attack": "singling-out"},
        {"of": Make(OBJECTS["Bound"])},
        {"of": Make(OBJECTS["LaplacePair"]), "group": 3, "attack": "reconstruction"},
    ),
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
        if "." in method:  # of a part of the object
            return operator.attrgetter(method)(OBJECTS[owner]())
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
    if name in NAMED:
        return NAMED[name]
    return getattr(next(home for home in HOMES if name in home.__all__), name)


def public_call(name: str) -> Any:
    owner, _, method = name.partition(".")
    if "." in method:
        return operator.attrgetter(method)(OBJECTS[owner]())
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
    for name in dict.fromkeys([*(name for home in HOMES for name in home.__all__), *NAMED]):
        thing = public(name)
        if name in SKIPPED + OF_TORCH + UNNAMED or not callable(thing):
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
    for owner, paths in PARTS.items():
        for path in paths:
            if callable(made := public_call(f"{owner}.{path}")):
                yield Call(f"{owner}.{path}", _parameters(made))


def _parameters(function: Any) -> tuple[str, ...]:
    found = inspect.signature(function).parameters.values()
    return tuple(p.name for p in found if p.name != "self" and p.kind is not p.VAR_KEYWORD)
