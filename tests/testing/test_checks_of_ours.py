"""Our own pairs, claims, intervals, testers, layouts, pages, mechanisms and formats are checked.

And what is broken on purpose fails, with the property that it lacks.
"""

import dataclasses
from dataclasses import replace

import numpy as np
import param
import pytest

import workbench as wb
from workbench.bounds.counts.intervals import INTERVALS
from workbench.claims.parse import CLAIMS
from workbench.figures import Style, axis, chart, line
from workbench.mechanisms.gallery import GALLERY
from workbench.pages import Control, Fact, Page, Section, figure, number
from workbench.pages.core import page as page_module
from workbench.pages.registry import PAGES
from workbench.pairs.own.kinds import PAIR_KINDS
from workbench.progress import silent
from workbench.reports.write import FORMATS
from workbench.scores.layouts.tools import LabeledScores, PairOfFiles
from workbench.testers.audit import TESTERS as OF_VALUES
from workbench.testers.property_testers.hockey_stick import HockeyStickTester
from workbench.testers.property_testers.registry import TESTERS
from workbench.testing import (
    CheckFailure,
    check_claim,
    check_interval,
    check_layout,
    check_mechanism,
    check_page,
    check_pair,
    check_report_format,
    check_tester,
)

# -- pairs -----------------------------------------------------------------------------------------

PAIRS = [
    *(
        kind.build(**{one: kind.default(one) for one in kind.arguments})
        for kind in PAIR_KINDS.ours.values()
    ),
    wb.GaussianPair(0),
    wb.LaplacePair(5),
    wb.RandomizedResponsePair(0.3, 0.1),
    wb.DiscreteGaussianPair(1.5),
    wb.DiscreteLaplacePair(0.7, 2),
    wb.ComposedPair(wb.LaplacePair(0.3), 3),
    wb.ProfileTablePair((0, 1, 4), (0.4, 0.1, 1e-5)),
    wb.Pair.from_functions(name="of a profile", profile=wb.GaussianPair(1).profile),
    wb.Pair.from_functions(name="of a trade-off", tradeoff=wb.LaplacePair(1).tradeoff),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.slow
def test_our_pairs(pair):
    check_pair(pair)


class Changed(wb.LaplacePair):
    """A Laplace pair, of which a test changes something."""


@pytest.mark.parametrize(
    ("name", "change", "lacks"),
    [
        ("profile", lambda e: 0.9 * wb.LaplacePair(1).profile(e), "δ\\(−ε\\)|total variation"),
        ("total_variation", property(lambda self: 0.1), "the total variation is δ\\(0\\)"),
        ("epsilon", lambda d: wb.LaplacePair(1).epsilon(d) * 0.8, "δ\\(ε\\(δ\\)\\) is at most δ"),
        ("epsilon", lambda d: wb.LaplacePair(1).epsilon(d) * 1.2, "is the smallest such ε"),
        ("gdp_mu", lambda floor: 0.3, "no local μ exceeds gdp_mu"),
        ("draw_p", lambda n, rng: rng.laplace(2, 1, n), "beats the trade-off function"),
        ("draw_p", lambda n, rng: rng.laplace(0, 1, n), "have the stated divergence"),
        ("draw_q", lambda n, rng: np.random.default_rng().laplace(0, 1, n), "equal seeds"),
    ],
)
def test_a_pair_that_is_wrong_in_one_thing_fails(monkeypatch, name, change, lacks):
    own = change if isinstance(change, property) else lambda self, *a, **k: change(*a, **k)
    monkeypatch.setattr(Changed, name, own, raising=False)
    with pytest.raises(CheckFailure, match=lacks) as caught:
        check_pair(Changed(1.0))
    assert caught.value.property
    assert isinstance(caught.value, AssertionError)


# -- claims ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLAIMS, ids=lambda kind: kind.word)
@pytest.mark.slow
def test_our_claims(kind):
    check_claim(kind(**{one.name: one.default for one in kind.arguments}))


def test_a_pair_as_claim():
    check_claim(wb.PairClaim(wb.LaplacePair(1)))


@dataclasses.dataclass(frozen=True)
class Eager(wb.GDP):
    """μ-GDP that is refuted by what it allows."""

    word, example = "eager", "eager(1)"

    def parameter_refuted_by_delta(self, delta, epsilon):
        return 1.1 * super().parameter_refuted_by_delta(delta, epsilon)


def test_a_claim_that_is_refuted_by_what_it_allows_fails():
    with pytest.raises(CheckFailure, match="refutes the claim exactly where it exceeds"):
        check_claim(Eager(1.0))


# -- intervals -------------------------------------------------------------------------------------

KEPT = [name for name, kind in INTERVALS.ours.items() if kind.guarantee == "pointwise"]


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.slow
def test_our_intervals_keep_their_level(name):
    check = check_interval(name)
    assert check.kept
    assert 0.3 * check.error < check.worst <= check.error
    assert "keeps its level" in str(check)


@pytest.mark.parametrize("name", ["wilson", "jeffreys", "katz-log"])
def test_an_approximate_interval_is_told_by_how_much(name):
    check = check_interval(name)
    assert not check.kept
    assert "does not keep its level" in str(check)


def doubled(kind, factor):
    def limit(tp, fp, tn, fn, question, error, side):
        return kind.limit(tp, fp, tn, fn, question, min(factor * error, 0.49), side)

    return replace(kind, limit=limit)


@pytest.mark.slow
def test_an_interval_at_twice_its_error_fails():
    with pytest.raises(CheckFailure, match="its level is kept at every rate does not hold"):
        check_interval(doubled(INTERVALS["joint"], 2))
    with pytest.raises(CheckFailure, match="its level is kept"):
        check_interval(replace(INTERVALS["wilson"], guarantee="pointwise"))
    with pytest.raises(CheckFailure, match="are numbers"):
        check_interval(replace(INTERVALS["wilson"], limit=lambda *given: float("nan")))


# -- testers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TESTERS.ours)
@pytest.mark.statistical
def test_our_testers(name):
    check_tester(name)


class Overconfident(HockeyStickTester):
    """Measures with a third of the confidence that is asked for, and says otherwise."""

    def fit(self, p, q, claim, rng):
        witness = super().fit(p, q, claim, rng)
        measure = witness.measure

        def sure(p, q, confidence):
            found = measure(p, q, 0.51)
            return replace(found, bound=replace(found.bound, confidence=confidence, value=1.0))

        object.__setattr__(witness, "measure", sure)
        return witness


@pytest.mark.statistical
def test_a_tester_that_claims_too_much_fails():
    with pytest.raises(CheckFailure, match=r"is refuted with probability at most 0\.333"):
        check_tester(Overconfident())


# -- layouts ---------------------------------------------------------------------------------------


def written(path, **columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    return path


@pytest.mark.slow
def test_layouts_of_scores(tmp_path):
    rng = np.random.default_rng(0)
    p, q = rng.normal(1, 1, 30), rng.normal(0, 1, 20)
    both, labels = np.r_[p, q], np.repeat([1, 0], [30, 20])
    file = written(tmp_path / "one.csv", signal_values=both, true_labels=labels)
    check_layout(LabeledScores("a", "signal_values", "true_labels"), file, expected=wb.Scores(p, q))
    of_p = written(tmp_path / "in_scores_x.csv", scores=p)
    of_q = written(tmp_path / "out_scores_x.csv", scores=q)
    files = PairOfFiles("auditbench result", r"in_scores_(\w+)", r"out_scores_(\w+)")
    check_layout(files, of_p, of_q, expected=wb.Scores(p, q))
    with pytest.raises(CheckFailure, match="it recognizes its files"):
        check_layout(LabeledScores("a", "loss", "label"), file)
    other = written(tmp_path / "x.csv", score=both, member=labels)
    with pytest.raises(CheckFailure, match=r"it leaves tables of others alone.*score, member"):
        check_layout(LabeledScores("a", "score", "member"), other)
    with pytest.raises(CheckFailure, match="the scores of P are read as expected"):
        check_layout(
            LabeledScores("a", "signal_values", "true_labels"), file, expected=wb.Scores(q, p)
        )


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PAGES.ours)
@pytest.mark.slow
def test_our_pages(name):
    check_page(PAGES[name].kind, name)


def test_the_page_of_the_documentation_is_complete():
    text = page_module.__doc__
    start, end = text.index("    import param"), text.index("`workbench.testing.check_page`")
    lines = text[start:end].splitlines()
    made = {"__name__": __name__}
    exec("\n".join(one.removeprefix("    ") for one in lines), made)
    globals()["Coin"] = made["Coin"]
    check_page(made["Coin"], "coin")


class Careless(Page):
    title = "Careless"
    about = "What does it forget?"
    controls = (Section("All", (Control("a"), Control("b"))),)
    a = param.Number(0.5, bounds=(0, 1), label="a")
    b = param.Number(0.5, bounds=(0, 1), label="b")

    @number("Sum", needs=("a",))
    def total(self):
        """Follows b, and does not say so."""
        return Fact(f"{self.a + self.b:.2f}")


class Unexplained(Page):
    title = "Unexplained"
    about = "What is it?"
    controls = (Section("All", (Control("a"),)),)
    a = param.Number(0.5, bounds=(0, 1), label="a")

    @figure("Curve", needs=("a",))
    def curve(self):
        drawn = line(Style("a", "p"), [0, 1], [self.a, self.a])
        return chart([drawn], axis("x", 0, 1), axis("y", 0, 1), summary="A line.")


class Misspelt(Careless):
    controls = (Section("All", (Control("aa"),)),)


class Bare(Unexplained):
    @figure("Curve", needs=("a",))
    def curve(self):
        """A line."""
        return {"data": [], "layout": {}}


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (Careless, "'total' follows only what it declares in needs=.*it changed with 'b'"),
        (Unexplained, "'curve' is explained: its method has a docstring"),
        (Misspelt, "the control 'aa' is a parameter or a job.*did you mean a"),
        (Bare, "'curve' is drawn.*has no summary"),
    ],
)
def test_a_page_that_forgets_something_fails(kind, lacks):
    with pytest.raises(CheckFailure, match=lacks):
        check_page(kind)


# -- mechanisms and reports ------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [name for name, card in GALLERY.ours.items() if card.private])
@pytest.mark.slow
def test_our_private_mechanisms(name):
    check_mechanism(name)


#: Runs on each dataset that refute a claim; None where 200,000 are too few.
RUNS_NEEDED = {
    "laplace-mean-true-count": 100_000,
    "svt3": 100_000,
    "svt34-parallel": 200_000,
    "svt-gap-count": 500_000,
    "svt-adaptive-count": None,
    "rappor-reports-afresh": 100_000,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [name for name, card in GALLERY.ours.items() if not card.private])
@pytest.mark.slow
def test_our_broken_mechanisms(name):
    samples = RUNS_NEEDED.get(name, 20_000)
    testers = "bits" if name == "laplace-inversion" else OF_VALUES
    refuted = samples is not None
    check_mechanism(name, samples=samples or 20_000, must_refute=refuted, testers=testers)


@pytest.mark.slow
def test_a_mechanism_that_is_not_as_stated_fails():
    card = wb.mechanism("laplace-mean")
    with pytest.raises(CheckFailure, match="refute its claim"):
        check_mechanism(replace(card, private=False), samples=2000)
    apart = (np.array([1.0]), np.array([1.0, 1.0, 1.0]))
    with pytest.raises(CheckFailure, match="differ by one record"):
        check_mechanism(replace(card, pair=apart))
    other = np.random.default_rng(5)
    with pytest.raises(CheckFailure, match="rng is the only source"):
        check_mechanism(replace(card, run=lambda data, size, rng: other.normal(size=size)))


@pytest.mark.parametrize("ending", ["md", "json", "ipynb"])
@pytest.mark.slow
def test_our_report_formats(ending):
    check_report_format(lambda audit: FORMATS[ending](audit, None, silent, "complete"), "mine")


def test_a_report_format_that_is_not_as_stated_fails():
    count = iter(range(9))
    with pytest.raises(CheckFailure, match="equal audits give equal content"):
        check_report_format(lambda audit: f"{next(count)}")
    with pytest.raises(CheckFailure, match="text or bytes"):
        check_report_format(lambda audit: "")
