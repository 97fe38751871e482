"""Examples: they load, agree with their cards, and come out the same when made again."""

import importlib.util
import sys
import tomllib
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

import workbench as wb
from workbench.scores.examples import NAMES, Truth, card, data_folder
from workbench.tables.examples import TABLES


def densities(p, q, points):
    """The hockey-stick divergence of two densities, a function of ε and of the direction."""

    def hockey_stick(epsilon, forward):
        a, b = (p, q) if forward else (q, p)

        def excess(x):
            return max(a(x) - np.exp(epsilon) * b(x), 0.0)

        return sum(quad(excess, u, v, epsabs=1e-11, limit=400)[0] for u, v in pairwise(points))

    return hockey_stick


SUBSAMPLED = (
    lambda x: 0.25 * norm.pdf(x, 1, 0.3) + 0.75 * norm.pdf(x, 0, 0.3),
    lambda x: norm.pdf(x, 0, 0.3),
)
# Densities of P and Q, and where to split the integral.
KNOWN = {
    "gaussian": (lambda x: norm.pdf(x, 1), norm.pdf, np.linspace(-12, 14, 14)),
    "laplace": (lambda x: laplace.pdf(x, 1), laplace.pdf, [-40, -5, 0, 0.5, 1, 6, 40]),
    "subsampled-gaussian": (*SUBSAMPLED, np.linspace(-3, 4, 36)),
    "unequal-variances": (lambda x: norm.pdf(x, 0, 1.5), norm.pdf, np.linspace(-16, 16, 65)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_truth_on_a_card_follows_from_the_densities(name):
    p, q, points = KNOWN[name]
    truth = card(name).truth
    hockey_stick = densities(p, q, list(points))
    assert hockey_stick(0.0, True) == pytest.approx(truth.tv, abs=1e-8)
    delta = max(hockey_stick(truth.epsilon, forward) for forward in (True, False))
    assert delta == pytest.approx(truth.delta, rel=1e-3)


@pytest.mark.parametrize("name", [n for n in NAMES if card(n).reference and n != "messy"])
def test_the_truth_on_a_card_is_that_of_its_pair(name):
    truth, reference = card(name).truth, dict(card(name).reference)
    pair = getattr(wb, reference.pop("pair"))(**reference)
    assert pair.total_variation == pytest.approx(truth.tv, rel=1e-9)
    assert pair.epsilon(truth.delta) == pytest.approx(truth.epsilon, rel=1e-9)


def test_the_truth_of_ties_follows_from_its_probabilities():
    k = np.arange(-60, 61)
    noise = np.tanh(0.5) * np.exp(-np.abs(k))
    truth = card("ties").truth
    p, q = noise[:-1], noise[1:]  # P at k is the noise at k − 1
    assert np.maximum(p - q, 0).sum() == pytest.approx(truth.tv, rel=1e-9)
    spill = np.maximum(p - np.exp(truth.epsilon) * q, 0).sum()
    assert spill == pytest.approx(truth.delta, rel=1e-6)


def test_the_truth_of_messy_is_that_of_its_finite_part():
    c = card("messy")
    pair = wb.GaussianPair(c.reference["mu"])
    assert 0.98 * pair.total_variation == pytest.approx(c.truth.tv, rel=1e-9)
    assert 0.98 * pair.profile(c.truth.epsilon) == pytest.approx(c.truth.delta, rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_agrees_with_its_card(name):
    s, c = wb.example(name), card(name)
    assert (s.n_p, s.n_q, s.sampling, s.larger_is_member, s.name) == (
        *(c.n_p, c.n_q, c.sampling, c.larger_is_member),
        name,
    )
    assert c.seed
    assert len(c.look) > 40
    assert c.file in {p.name for p in data_folder().iterdir()}


@pytest.mark.parametrize("name", [n for n in NAMES if card(n).truth.tv is not None])
def test_the_sample_is_as_far_apart_as_the_truth_says(name):
    s = wb.example(name)
    # Two histograms with fixed edges in the middle: their distance is near the true one.
    finite = [x[np.isfinite(x)] for x in s]
    edges = np.quantile(np.concatenate(finite), np.linspace(0, 1, 41)[1:-1])
    p, q = (np.bincount(np.searchsorted(edges, x), minlength=40) / x.size for x in finite)
    noise = 3 * np.sqrt(1 / s.n_p + 1 / s.n_q)
    assert abs(0.5 * np.abs(p - q).sum() - card(name).truth.tv) < 0.03 + noise


def test_the_real_losses_leak_as_their_cards_say():
    for name, tv in (("digits-losses", 0.48), ("breast-cancer-losses", 0.89)):
        s = wb.example(name)
        assert np.isfinite(s.p).all()
        assert np.isfinite(s.q).all()
        tp, fp = s.tail_counts(np.unique(np.concatenate([s.p, s.q])))
        assert (tp / s.n_p - fp / s.n_q).max() == pytest.approx(tv, abs=0.005)
        assert f"about {tv}" in card(name).truth.words
    assert np.unique(s.p).size == 1
    assert (s.q == s.p[0]).sum() == 31


def test_messy_is_messy():
    s = wb.example("messy")
    assert (s.nonfinite_p.total, s.nonfinite_q.total) == (30, 34)
    text = card("messy").path.read_bytes()
    assert text.startswith(b"\xef\xbb\xbfRecord id;")
    assert b",0" in text


def test_the_table_of_examples():
    table = wb.examples()
    assert list(table.columns) == ["name", "title", "n_p", "n_q", "truth", "sampling", "file"]
    assert tuple(table["name"]) == NAMES
    truth = dict(zip(table["name"], table["truth"].map(str), strict=True))
    assert truth["gaussian"] == "TV = 0.3829, ε = 4.377 at δ = 1e-5"
    assert truth["digits-losses"].startswith("not known")
    assert str(Truth(tv=0.5)) == "TV = 0.5"


def test_cards_and_names_match():
    assert {p.stem for p in data_folder().glob("*.toml")} == {*NAMES, *TABLES}


def test_readme_names_every_example_and_field():
    text = (data_folder() / "README.md").read_text(encoding="utf-8")
    fields = {
        key
        for name in (*NAMES, *TABLES)
        for key in tomllib.loads((data_folder() / f"{name}.toml").read_text(encoding="utf-8"))
    }
    for word in (*NAMES, *TABLES, *fields):
        assert word in text


def test_the_data_stay_small():
    assert sum(p.stat().st_size for p in data_folder().iterdir() if p.is_file()) < 4_000_000


def test_an_unknown_name():
    with pytest.raises(ValueError, match=r"no example 'gausian', only 'gaussian', .*'messy'.* did"):
        wb.example("gausian")


def test_missing_data_say_so(monkeypatch, tmp_path):
    module = import_module("workbench.scores.examples")  # the package has a function of this name
    monkeypatch.setattr(module, "__file__", str(tmp_path / "workbench" / "scores" / "examples.py"))
    with pytest.raises(FileNotFoundError, match="install the package again"):
        data_folder()
    wheel = tmp_path / "workbench" / "_data"
    wheel.mkdir(parents=True)
    (wheel / "gaussian.toml").touch()
    assert data_folder() == wheel


@pytest.mark.parametrize("script", ["make_examples", "make_model_losses"])
@pytest.mark.slow
def test_the_scripts_give_the_same_numbers_again(script, tmp_path):
    if script == "make_model_losses":
        release = pytest.importorskip("sklearn").__version__
        if f"scikit-learn {release}" not in card("digits-losses").made:
            pytest.skip(f"made with another scikit-learn than {release}")
    spec = importlib.util.spec_from_file_location(script, data_folder() / f"{script}.py")
    made = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(made)
    finally:
        sys.dont_write_bytecode = before
    made.main(tmp_path)
    files = {p.name for p in tmp_path.iterdir()}
    names = [n for n in NAMES if card(n).file in files]
    assert len(names) == len(files) > 0
    for name in names:
        again, bundled = wb.read_scores(tmp_path / card(name).file), wb.example(name)
        # Linear algebra rounds differently on other processors.
        np.testing.assert_allclose(again.p, bundled.p, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(again.q, bundled.q, rtol=1e-12, atol=1e-15)
