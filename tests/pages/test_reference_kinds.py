"""Kinds of DP-SGD and mixtures as references, and the last iterate among the known pairs."""

import json

import numpy as np
import pytest

import workbench as wb
from workbench.pages.inputs.reference import REFERENCES, read_contributions
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.scores.page import ScoresPage

#: Settings of a reference -> the pair that it is.
PAIRS = {
    "dp-sgd-fixed": (
        {"multiplier": 2.0, "log_rate": -2.0, "log_records": 4.0, "log_steps": 2.0},
        wb.FixedBatchPair(2.0, 100, 10_000, 100),
    ),
    "dp-sgd-cut": (
        {"multiplier": 2.0, "log_rate": -2.0, "log_records": 4.0, "cut": 1.2, "log_steps": 2.0},
        wb.TruncatedBatchPair(2.0, 0.01, 120, 10_000, 100),
    ),
    "last-iterate": (
        {"multiplier": 1.0, "log_rate": -1.0, "log_steps": 2.0},
        wb.LastIteratePair(1.0, 0.1, 100),
    ),
    "mixture": (
        {"contributions": "0: 0.5; 1.5: .5", "multiplier": 2.0, "log_steps": 1.0},
        wb.MixturePair((0, 1.5), (0.5, 0.5), 2.0, 10),
    ),
}


@pytest.fixture(scope="module")
def scores():
    return wb.GaussianPair(1).sample(1000, seed=0)


def chosen(page, kind, prefix="reference"):
    settings, _ = PAIRS[kind]
    page.param.update({f"{prefix}_kind": kind, **{f"{prefix}_{n}": v for n, v in settings.items()}})
    return page


@pytest.mark.parametrize("kind", PAIRS)
def test_the_controls_make_the_pair_and_settings_keep_it(kind, scores):
    settings, pair = PAIRS[kind]
    assert settings.keys() == set(REFERENCES[kind].takes)
    page = chosen(ScoresPage(scores), kind)
    assert page.first_reference.pair() == pair
    again = ScoresPage(scores)
    assert again.restore(json.loads(json.dumps(page.settings()))) == []
    assert again.first_reference.pair() == pair
    spec = {f"reference_{name}": value for name, value in settings.items()}
    view = wb.explore(scores, spec={"reference_kind": kind, **spec})
    assert view.page.first_reference.pair() == pair


@pytest.mark.parametrize("log_records", [1.0, 8.0])
@pytest.mark.parametrize("log_rate", [-4.0, 0.0])
@pytest.mark.parametrize("kind", ["dp-sgd-fixed", "dp-sgd-cut"])
def test_every_place_of_the_sliders_is_a_batch(kind, log_rate, log_records, scores):
    page = ScoresPage(scores)
    page.param.update(reference_kind=kind, reference_log_rate=log_rate)
    page.param.update(reference_log_records=log_records, reference_cut=4.0)
    pair = page.first_reference.pair()
    assert 1 <= pair.batch_size <= pair.dataset_size == 10**log_records


def test_a_reference_is_built_again_only_when_it_changes(scores, monkeypatch):
    page = chosen(ScoresPage(scores), "mixture")
    before = page.compared()
    page.param.update(threshold=0.7, log_delta=-4.0, bin_width=0.3, log_steps=0.5)
    assert page.compared() is before
    page.reference_multiplier = 3.0
    assert page.compared() is not before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be written"),
        ("1", "must be written"),
        ("1: one", "must be written"),
        ("0: 0.5, 1: 0.4", "sum to 1"),
        ("0: 1", "not all 0"),
        ("-1: 0.5, 1: 0.5", "at least 0"),
        ("nan: 0.5, 1: 0.5", "finite"),
        ("2000: 1", "at most 1000"),
    ],
)
def test_contributions_that_are_no_distribution_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_contributions(text)


def test_contributions_are_read_as_typed():
    assert read_contributions(" 0:.25 ; 1: 0.25,2 : 0.5") == ((0, 1, 2), (0.25, 0.25, 0.5))


def test_a_heuristic_is_no_claim_and_the_page_says_so(scores):
    page = ScoresPage(scores)
    page.param.update(claim_kind="reference", reference_kind="dp-sgd")
    assert page.own_claim() is not None
    page.reference_kind = "last-iterate"
    assert page.own_claim() is None
    assert page.verdict() is None
    assert "heuristic, which no mechanism promises" in page.message
    assert page.claim().text == "–"
    assert "promised" not in page.code({})
    page.reference_kind = "mixture"
    assert page.message == ""
    assert page.own_claim().pair == page.first_reference.pair()
    assert [REFERENCES[kind].heuristic for kind in PAIRS] == [False, False, True, False]
    assert all(pair.heuristic == REFERENCES[kind].heuristic for kind, (_, pair) in PAIRS.items())


def test_help_says_what_each_kind_is():
    doc = ScoresPage.param.reference_kind.doc
    for words in ("Fixed batches:", "Cut batches:", "upper", "It is a heuristic", "Mixture:"):
        assert words in doc


def test_the_last_iterate_is_a_known_pair():
    pair = wb.LastIteratePair(1.5, 0.02, 137)
    view = wb.explore_pair(pair, n=1000)
    page = view.page
    assert page.pair() == pair
    assert page.true_epsilon().note.startswith("exact")
    assert float(page.true_epsilon().text) == pytest.approx(pair.epsilon(1e-5), rel=0.01)
    offered = [c.name for s in page.sections for c in s.controls if c.offered(page)]
    assert {"pair_multiplier", "pair_log_rate", "pair_log_steps"} <= set(offered)
    assert not {"releases", "pair_mu", "pair_q"} & set(offered)
    assert "wb.LastIteratePair(" in page.code({})
    again = PairLabPage()
    assert again.restore(json.loads(json.dumps(page.settings()))) == []
    assert again.pair() == pair
    page.releases = 3
    assert page.pair() == pair
    assert np.isfinite(page.epsilon().value)


def test_other_kinds_of_the_known_pairs_are_what_they_were():
    page = PairLabPage(pair_kind="gaussian", pair_mu=1.0, releases=4)
    assert page.pair() == wb.ComposedPair(wb.GaussianPair(1.0), 4)
    labels = list(page.param.pair_kind.names)
    assert labels[:4] == ["Gaussian", "Laplace", "Subsampled Gaussian", "Randomized response"]
    assert labels[-1] == "Last iterate (heuristic)"
