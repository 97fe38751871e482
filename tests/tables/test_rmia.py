"""RMIA against a direct implementation."""

from __future__ import annotations

import numpy as np
import pytest

import workbench as wb


def drawn(models=14, records=9, population=0, seed=0, pairs=False):
    rng = np.random.default_rng(seed)
    member = rng.random((models, records)) < 0.5
    if pairs:
        member[1::2] = ~member[::2]
    p = rng.beta(2, 2, (models, records)) ** np.where(member, 0.5, 1.5)
    return p, member, rng.beta(2, 2, (models, population)) if population else None


def ratio(p, member, target, x, references, a):
    outside = [p[m, x] for m in references if not member[m, x]]
    return p[target, x] / ((1 + a) / 2 * np.mean(outside) + (1 - a) / 2)


def direct(p, member, z, gamma, a, targets, references_of):
    """The definition, one model and one pair of records after the other."""
    scores = np.zeros((len(targets), p.shape[1]))
    nobody = None if z is None else np.zeros(z.shape, bool)
    for i, m in enumerate(targets):
        references = references_of(m)
        own = [ratio(p, member, m, r, references, a) for r in range(p.shape[1])]
        for r in range(p.shape[1]):
            if z is None:
                others = [own[k] for k in range(p.shape[1]) if k != r]
            else:
                others = [ratio(z, nobody, m, k, references, a) for k in range(z.shape[1])]
            scores[i, r] = np.mean([own[r] > gamma * other for other in others])
    return scores


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("population", [0, 25])
@pytest.mark.parametrize(("gamma", "a"), [(1.0, 0.3), (0.7, 0.0), (2.0, 1.0)])
@pytest.mark.parametrize("how", ["split", "leave-one-out"])
def test_agrees_with_the_definition(pairs, population, gamma, a, how):
    p, member, z = drawn(pairs=pairs, population=population, seed=4 if pairs else 1)
    table = wb.SignalTable(p, member, kind="probability", population=z)
    scores = table.rmia(gamma=gamma, a=a, reference=how)
    models = range(14)
    if how == "split":
        targets = [int(m) for m in scores.model_names]
        references = [m for m in models if m not in targets]
        expected = direct(p, member, z, gamma, a, targets, lambda m: references)
    else:
        expected = direct(
            p,
            member,
            z,
            gamma,
            a,
            models,
            lambda m: [k for k in models if k not in ({m, m ^ 1} if pairs else {m})],
        )
    np.testing.assert_allclose(scores.scores, expected, atol=1e-12)
    assert len(np.unique(expected)) > 5


def test_the_order_of_one_model_is_that_of_its_ratios():
    p, member, z = drawn(models=40, records=30, population=2000)
    scores = wb.SignalTable(p, member, kind="probability", population=z).rmia(a=1.0)
    targets = scores.model_names
    rest = np.setdiff1d(np.arange(40), targets)
    outside = np.where(member[rest], np.nan, p[rest])
    ratios = p[targets] / np.nanmean(outside, axis=0)
    for mine, one in zip(scores.scores, ratios, strict=True):
        assert (np.diff(mine[np.argsort(one)]) >= 0).all()


@pytest.mark.parametrize("kind", ["log-odds", "loss"])
def test_kinds_of_signals_mean_the_same(kind):
    p, member, z = drawn(population=12)

    def same(p):
        return np.log(p / (1 - p)) if kind == "log-odds" else -np.log(p)

    expected = wb.SignalTable(p, member, kind="probability", population=z).rmia()
    given = wb.SignalTable(same(p), member, kind=kind, population=same(z)).rmia()
    np.testing.assert_allclose(given.scores, expected.scores, atol=1e-12)


def test_augmentations_are_averaged():
    p, member, _ = drawn()
    one = wb.SignalTable(p, member, kind="probability").rmia()
    twice = wb.SignalTable(np.stack([p, p], axis=2), member, kind="probability").rmia()
    np.testing.assert_allclose(twice.scores, one.scores, atol=1e-12)


def test_records_without_references_say_nothing_and_are_no_population():
    p, member, _ = drawn()
    member[:, 2] = True
    scores = wb.SignalTable(p, member, kind="probability").rmia()
    keep = np.delete(np.arange(9), 2)
    without = wb.SignalTable(p[:, keep], member[:, keep], kind="probability").rmia()
    assert (scores.scores[:, 2] == 0).all()
    np.testing.assert_array_equal(scores.scores[:, keep], without.scores)
    assert any("1 records have too few" in note for note in scores.notes)


def test_missing_signals():
    p, member, _ = drawn()
    p[3, 4] = np.nan
    scores = wb.SignalTable(p, member, kind="probability").rmia(reference="leave-one-out")
    assert np.isnan(scores.scores[3, 4])
    assert np.isnan(scores.scores).sum() == 1


@pytest.mark.parametrize("given", [{"gamma": 0}, {"a": 1.5}, {"a": np.nan}])
def test_arguments_that_are_refused(given):
    p, member, _ = drawn()
    with pytest.raises(ValueError, match=f"{next(iter(given))} must"):
        wb.SignalTable(p, member, kind="probability").rmia(**given)
