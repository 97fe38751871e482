"""The page that tests a mechanism: its charts, its search, what a second search may claim."""

import threading
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.bounds.bound import Bound
from workbench.claims.parse import as_claim
from workbench.cli import main
from workbench.figures.kit.svg import svg
from workbench.figures.mechanism import neighbors as dataset_charts
from workbench.figures.mechanism import search as charts
from workbench.figures.mechanism import witness as witness_charts
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.core.page import Fact
from workbench.pages.core.upload import Upload
from workbench.pages.mechanism.choice import shown_claim
from workbench.pages.mechanism.evidence import Looks, Rechecked
from workbench.pages.mechanism.page import MechanismPage
from workbench.testers.evidence import Picture, Trial
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.mechanism_audit import AuditSettings, MechanismAudit
from workbench.testers.property_testers.base import Finding
from workbench.testers.replay import Replay

PATIENCE = 30


def finding(value, claim=None, allowed=0.25):
    bound = Bound(
        *("delta", value / 4, "held-out", "held-out event", "independent runs", 800, 800),
        confidence=0.999,
        at=wb.QuantityArguments(epsilon=1.0),
    )
    claim = as_claim(wb.PureDP(1.0) if claim is None else claim)
    return Finding(bound, claim, allowed, None if claim.parameter is None else value)


def picture(**more):
    made = {
        "tester": "mmd",
        "of": "outputs",
        "labels": ("0", "1", "2", "NaN"),
        "edges": (0.0, 1.0, 2.0, 3.0),
        "counts_p": (10, 20, 70, 0),
        "counts_q": (70, 20, 5, 5),
        "scores": (-2.0, 0.0, 1.0, float("nan")),
    }
    return Picture(**{**made, **more})


def trial(index, neighbors=None, **values):
    """A trial with a parameter for each tester that took part."""
    a = np.array([0.1, 0.5, 0.9])
    findings = {name: finding(value) for name, value in values.items()}
    pictures = {"mmd": picture()} if findings else {}
    pair = neighbors or Neighbors(a, a[:2])
    return Trial(
        index, pair, findings, runs=2000, confidence=0.999, pictures=pictures, digest=f"{index}"
    )


POWER = {"histogram": 1.4, "mmd": float("inf")}


def audit(*trials, power=POWER, **more):
    made = {
        "name": "laplace-mean",
        "claim": wb.PureDP(1.0),
        "testers": ("histogram", "mmd"),
        "trials": 5,
        "samples": 1000,
        "confidence": 0.95,
        "seed": 0,
        "neighboring_relation": "add-remove",
        "finder": "random",
    }
    return MechanismAudit(AuditSettings(**{**made, **more}), trials, power=power)


def changed(found, **settings):
    """The same result of other settings."""
    return replace(found, settings=replace(found.settings, **settings))


def shown(text_or_figure):
    return board.content(text_or_figure)


def items(page):
    return [*page.figures(), *page.numbers(), *page.sentences()]


# -- the charts --------------------------------------------------------------------------------


def test_marks_are_filled_exactly_where_the_claim_is_refuted_and_lost_trials_are_ticks():
    lost = Trial(1, None, error="ValueError: no such shape")
    found = audit(trial(0, histogram=0.4, mmd=1.7), lost, trial(2, histogram=1.2, mmd=0.0))
    drawn = charts.trials(found, (0, "mmd"))
    traces = {trace["name"]: trace for trace in drawn["data"]}
    assert [round(x) for x in traces["histogram"]["x"]] == [1, 3]
    assert traces["histogram"]["y"] == [0.4, 1.2]
    assert traces["histogram"]["marker"]["symbol"] == ["triangle-up-open", "triangle-up"]
    assert traces["MMD"]["marker"]["symbol"] == ["diamond", "diamond-open"]
    assert traces["lost"]["x"] == [2]
    assert "no such shape" in traces["lost"]["customdata"][0]
    assert traces["witness shown"]["x"] == traces["MMD"]["x"][:1]
    assert traces["witness shown"]["y"] == [1.7]
    (line,) = drawn["layout"]["shapes"]
    assert line["y0"] == line["y1"] == 1
    assert drawn["layout"]["xaxis"]["range"] == [0.4, 5.6]  # room for all that were planned
    assert "3 trials of 5, 1 lost" in drawn["layout"]["meta"]["summary"]
    assert "2 findings above it; the largest is 1.70" in drawn["layout"]["meta"]["summary"]


def test_testers_differ_in_symbol_and_in_color():
    marks = charts.MARKS.values()
    assert len({mark.symbol for mark in marks}) == len({mark.role for mark in marks}) == 5


def test_a_claim_without_a_parameter_is_drawn_as_a_share_of_what_it_allows():
    pair = as_claim(wb.GaussianPair(0.5))
    one = replace(trial(0), findings={"mmd": finding(1.5, pair)})
    drawn = charts.trials(audit(one, claim=pair))
    assert drawn["data"][0]["y"] == [pytest.approx(1.5)]
    assert drawn["layout"]["shapes"][0]["y0"] == 1
    assert "no parameter" in charts.detectable(audit(one, claim=pair, power={"mmd": None}))[
        "layout"
    ]["meta"]["summary"]  # fmt: skip


@pytest.mark.parametrize(
    "made",
    [
        picture(),
        picture(labels=("0", "1", "2"), counts_p=(1, 2, 3), counts_q=(3, 2, 1), scores=(1, 0, -1)),
        picture(edges=(-1e14, -1.0, 1.0, 1e13)),
        picture(of="outcomes", edges=None),
        picture(of="outcomes", edges=None, labels=tuple(f"a long outcome {k}" for k in range(4))),
    ],
    ids=["NaN", "numbers", "uneven", "outcomes", "long"],
)
def test_a_witness_is_drawn_with_a_strip_of_its_strength(made):
    drawn = witness_charts.witness(made, "mmd", 0)
    p, _ = drawn["data"]
    counts = np.array(made.counts_p) / np.sum(made.counts_p)
    heights = np.asarray(p["y"])
    heights = heights[1::4] if made.edges is None else heights[: counts.size]
    assert heights == pytest.approx(counts)
    assert "NaN" not in shown(drawn).replace('"NaN"', "")
    strip = [s for s in drawn["layout"]["shapes"] if s["type"] == "rect"]
    sides = ["p" if s > 0 else "q" for s in made.scores if np.isfinite(s) and s]
    assert [s["fillcolor"][1] for s in strip] == sides
    left, right = drawn["layout"]["xaxis"]["range"]
    assert left <= min(s["x0"] for s in strip)
    assert max(s["x1"] for s in strip) <= right


def test_a_strip_shows_both_colors_where_the_strength_has_no_zero():
    tail = picture(labels=("0", "1", "2"), counts_p=(1, 2, 3), counts_q=(3, 2, 1),
                   scores=(0.0, 1.5, 3.0))  # fmt: skip
    strip = [
        shape["fillcolor"]
        for shape in witness_charts.witness(tail, "hockey-stick", 0)["layout"]["shapes"]
        if shape["type"] == "rect"
    ]
    assert strip == ["@q/0.99", "@p/0.99"]


def test_what_no_tester_could_have_found_is_told_as_such():
    drawn = charts.detectable(audit(trial(0, mmd=0.2)))
    told = [a["text"] for a in drawn["layout"]["annotations"]]
    assert {"histogram · 1.40", "MMD · too few runs"} <= set(told)


def test_the_record_in_which_datasets_differ_is_colored():
    a = np.array([0.5, 0.5, 0.2])
    only_q = dataset_charts.datasets(Neighbors(a[1:], a))["data"][3]
    assert list(only_q["x"]) == [0.5]
    assert only_q["marker"]["color"] == "@q"
    table = np.zeros((30, 4))
    other = table.copy()
    other[7] = [1, 0, 0, 1]
    drawn = dataset_charts.datasets(Neighbors(table, other, "substitute"))
    cells = drawn["data"][0]
    assert max(cells["y"]) == dataset_charts.SHARED + 1
    assert cells["customdata"][-4:] == [1, 0, 0, 1]
    framed = [s["line"]["color"] for s in drawn["layout"]["shapes"] if s["line"]["width"]]
    assert framed == ["@p", "@q"]
    assert "19 more records are in both" in drawn["layout"]["xaxis"]["title"]["text"]
    words = Neighbors(np.array(["a", "b"]), np.array(["a"]))
    assert dataset_charts.datasets(words)["data"] == []


# -- what is tested ----------------------------------------------------------------------------


def test_each_mechanism_brings_its_own_claim():
    page = MechanismPage()
    for name, card in GALLERY.items():
        page.mechanism = name
        assert page.claim() == card.claim
        assert str(card.claim) in page.described()
    page.param.update(mechanism="svt1", epsilon=3.0)
    assert page.claim() == wb.PureDP(3.0)  # what was chosen together with it stays
    page.epsilon = 4.0
    assert "claims pure(1), tested for pure(4)" in page.described()


@pytest.mark.parametrize(
    "claim",
    [
        *(wb.ApproxDP(0.3, 3e-6), wb.PureDP(0.7), wb.RenyiDP(1.5, 0.05), wb.GDP(0.25)),
        *(wb.LaplacePair(0.4), wb.SubsampledGaussianPair(0.1, 2), "approx(2, 1e-5)"),
    ],
    ids=str,
)
def test_every_claim_is_shown_as_it_is(claim):
    page = MechanismPage(claim=claim)
    wanted = as_claim(claim)
    assert str(page.claim()) == str(wanted)
    assert repr(page.claim()) == repr(wanted)


def test_a_claim_that_the_controls_lack_is_refused():
    with pytest.raises(ValueError, match="pairs gaussian, laplace"):
        shown_claim(wb.DPSGDPair(2.0, 0.1, 10))
    with pytest.raises(ValueError, match=r"δ from 1e-100 to below 1"):
        shown_claim("approx(1, 1e-120)")


def leaky(dataset, size, rng):
    """The mean, with too little noise."""
    return np.mean(dataset) + rng.laplace(scale=0.05, size=size)


def test_a_function_of_ones_own_is_offered_with_what_has_to_be_said_of_its_datasets():
    page = MechanismPage(leaky, "pure(0.5)")
    assert page.mechanism == "own"
    assert "leaky (your code)" in page.param.mechanism.get_range()
    assert "own" not in MechanismPage().param.mechanism.get_range().values()
    offered = {c.name for s in page.controls for c in s.controls if c.offered(page)}
    assert {"relation", "low", "high", "columns", "time_limit"} <= offered
    page.mechanism = "svt1"
    offered = {c.name for s in page.controls for c in s.controls if c.offered(page)}
    assert not {"relation", "low", "time_limit"} & offered
    # A card given is the card.
    assert MechanismPage(GALLERY["svt3"]).mechanism == "svt3"


def test_no_code_is_taken_from_the_browser():
    assert not any(isinstance(p, Upload) for p in MechanismPage.param.objects().values())


def _symbols(trace):
    symbols = trace["marker"]["symbol"]
    return [symbols] * len(trace["x"]) if isinstance(symbols, str) else symbols


# -- the search --------------------------------------------------------------------------------

TINY = {"executor": None, "trials": 3, "log_samples": 3.5, "seed": 3}


@pytest.fixture(scope="module")
def searched():
    """A finished search of a broken mechanism on the pair of its card."""
    page = MechanismPage(mechanism="svt5", datasets="pair", **TINY)
    page.work.run("search")
    return page


def test_before_a_search_everything_waits():
    page = MechanismPage(seed=1)  # the first result of the page is of seed 0
    for item in items(page):
        shown(page.draw(item))
    assert page.verdict() == page.strongest() == Fact("–", "not searched yet")
    with pytest.raises(ValueError, match="search first"):
        page.work.run("recheck")
    assert "search first" in page.message


def test_a_search_finds_what_audit_mechanism_finds(searched):
    page, found = searched, searched.found
    same = wb.audit_mechanism(
        *(GALLERY["svt5"], "pure(1)", GALLERY["svt5"].pair),
        trials=3,
        samples=round(10**3.5),
        seed=3,
        anytime=True,
    )
    assert found.violation
    assert page.verdict().text == "violation found"
    bound = page.strongest()
    assert bound.value == same.best.finding.parameter > 1
    assert (bound.quantity, bound.guarantee, bound.void) == ("epsilon", "held-out", None)
    assert (bound.confidence, bound.delta) == (0.95, None)
    assert page.counted().text == f"{len(same.trials)} of 3"
    assert page.used().text == f"{same.runs:,}"
    assert page.said().startswith("Violation found: ")
    for item in items(page):
        assert "NaN" not in shown(page.draw(item)).replace('"NaN"', "")
    assert page.bounds()["data"]
    assert page.witness()["data"]
    assert page.pair()["data"]
    # Where no widget lives, there are pictures; in them, too, only what refutes is filled.
    marks = svg(page.bounds()).count('fill="none" stroke="')
    hollow = [s for t in page.bounds()["data"] for s in _symbols(t) if s.endswith("-open")]
    assert marks == len(hollow) + 1  # and the axes
    assert "<rect" in svg(page.witness())
    ones = [a["text"] for a in page.pair()["layout"]["annotations"]].count("1")
    assert svg(page.pair()).count(">1</text>") >= ones


def test_a_result_is_stale_once_what_it_rests_on_has_changed(searched):
    page = searched
    assert page.work.state("search").shown == "this run"
    page.shown_trial = 1
    assert not page.work.state("search").stale
    before = page.strongest()
    page.epsilon = 2.0
    assert page.work.state("search").stale
    assert page.strongest().value == before.value  # still of the claim that was tested
    assert page.claimed().text == "≤ 1"
    page.param.update(epsilon=1.0, shown_trial=0)
    assert not page.work.state("search").stale


def test_evidence_is_re_checked_on_fresh_runs(searched):
    page = searched
    page.log_fresh = 4.0
    done = page.work.run("recheck")
    assert done.replay.samples == 10_000
    assert done.replay.violation
    bound = page.fresh()
    assert bound.value == pytest.approx(done.replay.finding.parameter)
    assert (bound.void, bound.confidence) == (None, 0.95)
    assert page.confirmed().startswith("Confirmed on fresh samples")


def test_nothing_is_claimed_of_a_private_mechanism():
    page = MechanismPage(mechanism="randomized-response", datasets="grid", **TINY)
    page.work.run("search")
    assert page.verdict().text == "none found"
    assert page.strongest().value <= 1
    assert "does not show that the mechanism is private" in page.said()
    assert page.counted().text == "3 of 3"
    assert page.power().text.startswith("≥ ")


def test_a_search_that_is_cancelled_keeps_its_trials():
    reached, go_on = threading.Event(), threading.Event()

    def slow(dataset, size, rng):
        if calls.acquire(blocking=False):
            return leaky(dataset, size, rng)
        reached.set()
        go_on.wait(PATIENCE)
        return leaky(dataset, size, rng)

    calls = threading.Semaphore(25)  # two trials, and the third has begun
    page = MechanismPage(slow, "pure(60)", **{**TINY, "trials": 9})
    page.choice.source = lambda: {"datasets": "random"}  # in this process, and without a time limit
    page.work.begin("search")
    assert reached.wait(PATIENCE)
    page.work.cancel("search")
    go_on.set()
    deadline = threading.Event()
    for _ in range(10 * PATIENCE):
        if page.work.state("search").status == "cancelled":
            break
        deadline.wait(0.1)
    state = page.work.state("search")
    assert (state.status, state.shown) == ("cancelled", "this run")
    assert 1 <= len(page.found.trials) < 9
    assert not page.found.complete
    assert page.verdict().note.startswith("so far; ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            dict.fromkeys(("hockey_stick", "renyi", "mmd", "histogram"), False),
            "no tester is selected",
        ),
        ({"low": 2.0}, "smallest value, 2, must be below the largest, 1"),
        ({"min_records": 20}, "minimum number of records, 20, must be at most the maximum, 10"),
        ({"datasets": "pair"}, "leaky is not in the gallery"),
    ],
    ids=lambda x: next(iter(x)) if isinstance(x, dict) else "",
)
def test_settings_that_make_no_search_are_told(change, said):
    page = MechanismPage(leaky, **TINY)
    page.param.update(change)
    with pytest.raises(ValueError, match=said):
        page.work.run("search")
    assert said in page.message


# -- searching again ---------------------------------------------------------------------------


def seen(*audits):
    page = MechanismPage()
    for one in audits:
        page.found = one
    return page


FIRST = audit(trial(0, histogram=0.4, mmd=0.2), trial(1, mmd=1.3))


def test_the_first_search_keeps_its_level_and_later_ones_are_void():
    assert seen(FIRST).strongest().void is None
    trials = (replace(trial(0, mmd=1.6), digest="other"),)
    again = replace(changed(FIRST, seed=1), trials=trials)
    page = seen(FIRST, again)
    assert (
        "search no. 2 of this mechanism: the error probability of 5% covers one"
        in page.strongest().void
    )
    assert page.verdict() == Fact("violation found", "search no. 2: re-check it on new runs")
    assert "search no. 2" in page.said()
    page.found = FIRST  # shown again, it is the first
    assert page.strongest().void is None


@pytest.mark.parametrize(
    "other",
    [{"samples": 5000}, {"confidence": 0.9}, {"testers": ("mmd",)}, {"claim": wb.PureDP(0.9)},
     {"finder": "grid"}, {"trials": 9}],
    ids=lambda other: next(iter(other)),
)  # fmt: skip
def test_other_settings_are_another_search_too(other):
    assert seen(FIRST, changed(FIRST, **other)).strongest().void is not None


def test_the_same_search_that_goes_on_or_is_made_again_is_one():
    part = replace(FIRST, trials=FIRST.trials[:1], complete=False)
    page = seen(part, FIRST, FIRST)
    assert page.search_number() == 1
    assert page.strongest().void is None
    # Unless the mechanism does not repeat itself: then its outputs are others.
    unlike = replace(FIRST, trials=(replace(FIRST.trials[0], digest="unlike"),))
    assert seen(FIRST, unlike).search_number() == 2


def test_another_mechanism_or_another_quantity_is_another_question():
    assert seen(FIRST, changed(FIRST, name="svt1")).strongest().void is None
    assert seen(FIRST, changed(FIRST, claim=wb.GDP(1))).search_number() == 1


def test_a_search_that_showed_nothing_does_not_count():
    nothing = audit(Trial(0, None, error="ValueError: no"), seed=7)
    page = seen(nothing, FIRST)
    assert page.search_number() == 1
    assert seen(nothing).strongest() == Fact("–", "nothing was tested")


def test_of_several_re_checks_the_first_counts():
    page = seen(FIRST)
    for seed, void in ((1, False), (2, True), (1, False)):
        replay = Replay(FIRST.best, finding(1.1 + seed), False, 1000, seed)
        page.rechecked = Rechecked(FIRST, replay)
        assert (page.fresh().void is not None) == void
    # It speaks of the search in view only.
    page.found = changed(FIRST, name="svt1")
    assert page.fresh() == Fact("–", "not re-checked yet")
    assert page.confirmed() == ""


def test_looks_are_kept_apart_and_never_changed():
    before = Looks()
    after = before.noted(FIRST)
    assert (before.number(FIRST), after.number(FIRST)) == (0, 1)


# -- the trial that is shown -------------------------------------------------------------------


def test_a_click_shows_the_nearest_trial():
    page = seen(FIRST)
    assert page.shown().trial.index == 1
    page.searching.pick(1.2, 0.3)
    assert page.shown_trial == 1
    assert (page.shown().trial.index, page.shown().tester) == (0, "histogram")
    assert "cannot be drawn" in page.witness()["layout"]["meta"]["summary"]
    assert page.where().startswith("Trial 1. Dataset: ")
    page.shown_trial = 4
    assert page.shown() is None
    assert page.witness()["data"] == page.pair()["data"] == []


# -- as Python, and on the command line --------------------------------------------------------


def test_the_code_makes_the_same_search():
    for given, more in (("svt5", {"datasets": "pair"}), (leaky, {"high": 2.0, "time_limit": 30.0})):
        spec = {"trials": 2, "log_samples": 3.0, "seed": 4, **more}
        view = wb.explore_mechanism(given, "pure(0.5)", spec=spec)
        view.page.executor = None
        view.search()
        made = {"mechanism": given}
        exec(view.to_code(), made)
        assert made["audit"].best.finding.parameter == view.strongest.value
        assert made["audit"].in_words() == view.found.in_words()
        assert made["view"].spec() == view.spec()
        assert made["view"].page.claim() == view.page.claim()


def test_a_view_is_restored_with_a_claim_that_is_not_the_cards():
    view = wb.explore_mechanism(spec={"mechanism": "gaussian-mean", "epsilon": 1.0})
    assert wb.explore_mechanism(spec=view.spec()).page.claim() == wb.RenyiDP(1.5, 1.0)


def test_a_file_that_is_named_when_the_page_is_started_is_tested(tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.py"
    path.write_text(
        "def mine(dataset, size, rng):\n    return rng.normal(dataset.sum(), 1, size)\n"
    )
    served = []
    monkeypatch.setattr(
        "workbench.server.app.serve", lambda app, *more, **named: served.extend(app.tabs)
    )
    assert main(["serve", "--no-open", "--mechanism", f"{path}:mine"]) == 0
    factories = [tab.factory for tab in served]
    (make,) = [one for one in factories if getattr(one, "func", None) is MechanismPage]
    page = make()
    assert "mine.py:mine, your code" in page.described()
    assert f"wb.find_mechanism('{path}:mine')" in page.code({})
    assert main(["serve", "--mechanism", f"{path}:yours"]) == 2
    assert "has no 'yours'" in capsys.readouterr().err
