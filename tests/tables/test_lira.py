"""LiRA against a direct implementation, and against the likelihood ratio of known Gaussians."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, spearmanr

import workbench as wb
from workbench.progress import Cancelled


def signals(models=18, records=7, augmentations=2, seed=0, pairs=False):
    """Log-odds that are larger for members, with own centers and scales, some missing."""
    rng = np.random.default_rng(seed)
    member = rng.random((models, records)) < 0.5
    if pairs:
        member[1::2] = ~member[::2]
    shape = (models, records, augmentations)
    x = rng.normal(size=shape) * rng.uniform(0.5, 2, (records, 1)) + 2 * member[..., None]
    x = np.round(x, 1)  # ties
    x[rng.random(shape) < 0.03] = np.nan
    return x, member


def reference_models(target, models, how, pairs, split):
    if how == "split":
        return [m for m in range(models) if split[m]]
    left_out = {target, target ^ 1} if pairs else {target}
    return [m for m in range(models) if m not in left_out]


def fitted(x, member, r, a, references, side):
    values = [x[m, r, a] for m in references if member[m, r] == side and not np.isnan(x[m, r, a])]
    return np.median(values), values


def direct(x, member, online, fixed_variance, how, pairs, split):
    """The definition, one model, record and augmentation after the other."""
    models, records, augmentations = x.shape
    targets = [m for m in range(models) if how != "split" or not split[m]]
    result = np.zeros((len(targets), records))
    for i, m in enumerate(targets):
        references = reference_models(m, models, how, pairs, split)
        common = {}
        for side in (True, False):
            for a in range(augmentations):
                values = [fitted(x, member, r, a, references, side)[1] for r in range(records)]
                squares = sum(((np.array(v) - np.mean(v)) ** 2).sum() for v in values if v)
                common[side, a] = squares / sum(len(v) - 1 for v in values if v)
        for r in range(records):
            for a in range(augmentations):
                fit = {}
                for side in (True, False):
                    center, values = fitted(x, member, r, a, references, side)
                    variance = common[side, a] if fixed_variance else np.var(values, ddof=1)
                    fit[side] = norm(center, np.sqrt(variance))
                s = x[m, r, a]
                if online:
                    result[i, r] += fit[True].logpdf(s) - fit[False].logpdf(s)
                else:
                    result[i, r] -= fit[False].logsf(s)
    return result


@pytest.mark.parametrize("how", ["split", "leave-one-out"])
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize("fixed_variance", [False, True])
def test_agrees_with_the_definition(how, pairs, online, fixed_variance):
    x, member = signals(pairs=pairs, models=40)
    table = wb.SignalTable(x, member)
    assert table.design.name == ("complementary pairs" if pairs else "independent coins")
    scores = table.lira(online=online, fixed_variance=fixed_variance, reference=how)
    split = np.ones(40, dtype=bool)
    if how == "split":
        split[scores.model_names] = False
        assert split.sum() == 20
    expected = direct(x, member, online, fixed_variance, how, pairs, split)
    assert not (np.abs(expected) == 0).any()  # no record lacks references
    np.testing.assert_allclose(scores.scores, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(scores.member, member[~split] if how == "split" else member)


def test_blocks_of_records_change_nothing(monkeypatch):
    x, member = signals(records=23)
    table = wb.SignalTable(x, member)
    whole = [table.lira(reference="leave-one-out").scores, table.rmia().scores]
    monkeypatch.setattr("workbench.tables.attacks.blocks._BLOCK", 18 * 2 * 5)
    parts = [table.lira(reference="leave-one-out").scores, table.rmia().scores]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("attack", ["lira", "rmia"])
@pytest.mark.parametrize("pairs", [False, True])
def test_the_target_is_not_among_its_own_references(attack, pairs):
    # What the references of model 4 say is seen by scores of model 4 at records that stay as they
    # are: they must not notice that this model said something else about another record.
    x, member = signals(pairs=pairs)
    changed = np.array(x)
    changed[4, 3] += 50
    if pairs:
        changed[5, 3] -= 50
    tables = [wb.SignalTable(one, member) for one in (x, changed)]
    how = {"reference": "leave-one-out"}
    if attack == "lira":
        before, after = (t.lira(fixed_variance=True, **how).scores for t in tables)
        same = np.delete(np.arange(7), 3)
        np.testing.assert_allclose(after[4, same], before[4, same], rtol=1e-12)
        assert (np.abs(after[6, same] - before[6, same]) > 1e-6).all()  # the others do notice
    else:
        population = np.random.default_rng(1).normal(size=(18, 30))
        before, after = (
            wb.SignalTable(t.signals, member, population=population).rmia(**how).scores
            for t in tables
        )
        same = np.delete(np.arange(7), 3)
        np.testing.assert_array_equal(after[4, same], before[4, same])


@pytest.mark.parametrize("fixed_variance", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
def test_a_score_answers_to_its_own_signal_alone(fixed_variance, pairs):
    # Three signals of model 4 lie on one parabola log N(s; in) − log N(s; out) whose coefficients
    # come from the references: a fourth must lie on it too.
    x, member = signals(augmentations=1, pairs=pairs)
    x = np.nan_to_num(x)
    at, found = np.array([-30.0, 0.0, 7.0, 100.0]), []
    for s in at:
        x[4, 2] = s
        table = wb.SignalTable(x, member)
        found.append(
            table.lira(fixed_variance=fixed_variance, reference="leave-one-out").scores[4, 2]
        )
    parabola = np.polyfit(at[:3], found[:3], 2)
    assert np.polyval(parabola, at[3]) == pytest.approx(found[3], rel=1e-6)


def test_the_rows_of_a_split_do_not_depend_on_each_other():
    x, member = signals()
    table = wb.SignalTable(x, member, sampling="independent runs")
    before = table.lira()
    assert before.sampling == "independent runs"
    first, second = before.model_names[:2]
    x[first] += 5
    after = wb.SignalTable(x, member).lira()
    np.testing.assert_array_equal(after.scores[1:], before.scores[1:])
    assert (after.scores[0] != before.scores[0]).any()
    assert second in after.model_names


def test_a_split_is_the_same_for_all_attacks_and_keeps_pairs():
    x, member = signals(pairs=True, models=20)
    table = wb.SignalTable(x, member)
    lira, rmia = table.lira(), table.rmia()
    np.testing.assert_array_equal(lira.model_names, rmia.model_names)
    np.testing.assert_array_equal(lira.model_names[::2] + 1, lira.model_names[1::2])
    assert lira.design.name == "complementary pairs"
    with pytest.raises(wb.ScoresError, match="keep pairs together"):
        table.lira(reference=np.arange(20) < 5)


def test_a_split_of_exactly_half_is_not_called_independent():
    rng = np.random.default_rng(3)
    member = np.array([rng.permutation(16) < 8 for _ in range(6)]).T
    table = wb.SignalTable(rng.normal(size=(16, 6)), member, sampling="independent runs")
    scores = table.lira()
    assert scores.sampling == "unknown"
    assert any("exactly half" in note for note in scores.notes)


def test_leave_one_out_says_that_rows_depend():
    x, member = signals()
    scores = wb.SignalTable(x, member, sampling="independent runs").lira(reference="leave-one-out")
    assert scores.sampling == "unknown"
    assert any("depend on each other" in note for note in scores.notes)


@pytest.mark.parametrize("attack", ["lira", "rmia"])
@pytest.mark.parametrize("how", ["split", "leave-one-out"])
def test_pairs_are_found_in_any_order(attack, how):
    x, member = signals(pairs=True, models=20, records=30)
    order = np.random.default_rng(1).permutation(20)
    scores = getattr(wb.SignalTable(x[order], member[order]), attack)(reference=how)
    assert scores.design.name == "complementary pairs"
    if how == "leave-one-out":
        same = getattr(wb.SignalTable(x, member), attack)(reference=how)
        np.testing.assert_allclose(scores.scores, same.scores[order], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("attack", ["lira", "rmia"])
def test_cells_that_are_not_there(attack):
    x, member = signals(models=40, augmentations=1)
    x = np.nan_to_num(x)
    present = np.random.default_rng(2).random(member.shape) < 0.9
    absent = np.where(present[..., None], x, np.nan)
    given = wb.SignalTable(np.where(present[..., None], x, 1e6), member & present, present=present)
    scores = getattr(given, attack)()
    expected = getattr(wb.SignalTable(absent, member & present), attack)()
    np.testing.assert_array_equal(scores.scores, expected.scores)
    np.testing.assert_array_equal(scores.present, present[scores.model_names])
    assert given.as_scores().n_out.sum() == present.sum() - (member & present).sum()


def test_leave_one_out_turns_a_null_table_around():
    """Members look less member-like than others, as the docstring of `lira` says: 0.43."""
    auc = {"split": [], "leave-one-out": []}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        member = rng.random((64, 50)) < 0.5
        table = wb.SignalTable(rng.normal(size=member.shape), member)
        for how, found in auc.items():
            found.append(table.lira(reference=how).each_record(delta=0.0).counts.auc.mean())
    # The standard deviation of a mean over 600 records is below 0.006.
    assert np.mean(auc["split"]) == pytest.approx(0.5, abs=0.018)
    assert np.mean(auc["leave-one-out"]) == pytest.approx(0.43, abs=0.018)


@pytest.mark.parametrize("attack", ["lira", "rmia"])
def test_bounds_of_a_split_hold_on_null_tables(attack):
    """At most 5% of 200 tables, + 3 standard errors, have a limit above 0, in either direction."""
    wrong = {True: 0, False: 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        member = rng.random((48, 12)) < 0.5
        scores = getattr(wb.SignalTable(rng.normal(size=member.shape), member), attack)()
        for larger in wrong:
            table = replace(scores, larger_is_member=larger)
            wrong[larger] += (table.each_record(delta=0.0).values > 0).any()
    assert max(wrong.values()) <= 200 * 0.05 + 3 * np.sqrt(200 * 0.05 * 0.95)


def test_bounds_of_leave_one_out_do_not():
    """Why such tables are for rankings: the reversed scores prove a leak that is not there."""
    rng = np.random.default_rng(0)
    member = rng.random((64, 20)) < 0.5
    null = wb.SignalTable(rng.normal(size=member.shape), member, sampling="independent runs")
    scores = replace(null.lira(reference="leave-one-out"), larger_is_member=False)
    limits = scores.each_record(delta=0.0)
    assert (limits.values > 0).any()
    assert limits.assumption == "if rows are independent"


def test_named_references():
    x, member = signals(models=40)
    chosen = np.arange(40) % 3 == 0
    scores = wb.SignalTable(x, member).lira(reference=chosen)
    np.testing.assert_array_equal(scores.model_names, np.flatnonzero(~chosen))
    expected = direct(x, member, True, False, "split", False, chosen)
    np.testing.assert_allclose(scores.scores, expected, rtol=1e-9, atol=1e-9)


def test_known_gaussians():
    """With many references the score is the likelihood ratio of the Gaussians that were drawn."""
    rng = np.random.default_rng(8)
    models, records = 4000, 5
    member = rng.random((models, records)) < 0.5
    center, gap = rng.normal(size=records) * 3, np.array([0.5, 1, 2, 3, 4])
    wide = np.array([1, 1.5, 2, 1, 0.7])
    x = center + np.where(member, gap + wide * rng.normal(size=member.shape), 0)
    x += np.where(member, 0, rng.normal(size=member.shape))
    scores = wb.SignalTable(x, member).lira()
    at = x[scores.model_names]
    truth = norm(center + gap, wide).logpdf(at) - norm(center, 1).logpdf(at)
    # Relative error of a median of 1000 is about 0.04 standard deviations.
    assert np.median(np.abs(scores.scores - truth)) < 0.08
    for r in range(records):
        assert spearmanr(scores.scores[:, r], truth[:, r])[0] > 0.995
    # Offline: minus the logarithm of the tail of the Gaussian without the record.
    offline = wb.SignalTable(x, member).lira(online=False).scores
    tail = -norm(center, 1).logsf(at)
    assert np.median(np.abs(offline - tail)) < 0.08


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kinds_of_signals_mean_the_same(dtype):
    x, member = signals(augmentations=1)
    x = np.nan_to_num(x)[..., 0].astype(dtype)
    p = 1 / (1 + np.exp(-x))
    expected = wb.SignalTable(x, member).lira().scores
    tolerance = 1e-3 if dtype is np.float32 else 1e-9
    for kind, given in (("probability", p), ("loss", -np.log(p))):
        scores = wb.SignalTable(given, member, kind=kind).lira()
        assert scores.scores.dtype == dtype
        assert scores.larger_is_member
        np.testing.assert_allclose(scores.scores, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("kind", "ends"), [("probability", (0, 1)), ("loss", (np.inf, 0))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_of_0_and_1_are_counted(kind, ends, dtype):
    x, member = signals(augmentations=1)
    p = 1 / (1 + np.exp(-np.nan_to_num(x)[..., 0]))
    given = (p if kind == "probability" else -np.log(p)).astype(dtype)
    given[:3, 1], given[3:7, 1] = ends
    for attack in ("lira", "rmia"):
        scores = getattr(wb.SignalTable(given, member, kind=kind), attack)()
        assert np.isfinite(scores.scores).all()
        assert any("7 probabilities are 0 or 1" in note for note in scores.notes)


def test_records_without_references_say_nothing():
    x, member = signals(augmentations=1, models=40)
    member[:, 2] = False
    member[0, 3] = True
    member[1:, 3] = False
    for how in ("split", "leave-one-out"):
        scores = wb.SignalTable(x, member).lira(reference=how)
        assert (scores.scores[:, 2:4] == 0).all()
        assert any("2 records have too few reference models" in note for note in scores.notes)
    offline = wb.SignalTable(x, member).lira(online=False)
    assert (offline.scores[:, 2] != 0).any()


def test_a_missing_reference_does_not_tell_members():
    # With two members and one left out, only those two would lack a variance.
    x, member = signals(augmentations=1)
    x = np.nan_to_num(x)
    member[:, 2] = np.arange(18) < 2
    scores = wb.SignalTable(x, member).lira(reference="leave-one-out")
    assert (scores.scores[:, 2] == 0).all()


def test_signals_that_saturate():
    x, member = signals(augmentations=1)
    x = np.nan_to_num(x)
    x[:, 4] = 9.0
    for fixed in (False, True):
        for how in ("split", "leave-one-out"):
            scores = wb.SignalTable(x, member).lira(reference=how, fixed_variance=fixed)
            assert np.isfinite(scores.scores).all()


def test_the_signals_themselves_are_scores():
    x, member = signals()
    table = wb.SignalTable(x, member, sampling="independent runs", name="mine")
    scores = table.as_scores()
    assert scores.n_models == 18
    assert scores.sampling == "independent runs"
    assert scores.name == "mine, threshold"
    np.testing.assert_array_equal(scores.scores, x)
    loss = wb.SignalTable(np.exp(x), member, kind="loss").as_scores()
    assert not loss.larger_is_member


def test_progress_can_cancel():
    x, member = signals()
    seen = []

    def report(fraction=None, message=None, partial=None):
        seen.append(fraction)
        if fraction == 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        wb.SignalTable(x, member).lira(progress=report)
    assert seen == [0.0, 0.3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "logit"}, "kind must be one of"),
        ({"kind": "probability"}, r"lie in \[0, 1\]"),
        ({"kind": "loss"}, r"lie in \[0, inf\]"),
        ({"population": np.zeros((3, 5))}, "one row of signals for each of 18 models"),
        ({"sampling": "one run"}, "sampling must be one of"),
    ],
)
def test_signals_that_are_refused(given, message):
    x, member = signals()
    with pytest.raises(ValueError, match=message):
        wb.SignalTable(x, member, **given)


def test_infinite_log_odds_are_refused():
    x, member = signals()
    x[0, 0, 0] = np.inf
    with pytest.raises(wb.ScoresError, match="compute them from the logits"):
        wb.SignalTable(x, member)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reference": "half"}, "reference must be one of"),
        ({"reference": np.ones(18, bool)}, "18 of 18 models are references"),
        ({"reference": np.arange(18) > 0}, "17 of 18 models are references"),
        ({"reference": np.ones(17, bool)}, "reference must be 18 bools"),
        ({"online": "no"}, "online must be True or False"),
    ],
)
def test_arguments_that_are_refused(given, message):
    x, member = signals()
    with pytest.raises(ValueError, match=message):
        wb.SignalTable(x, member).lira(**given)


def test_three_models_cannot_be_split():
    member = np.array([[True, False], [False, True], [True, True]])
    with pytest.raises(wb.ScoresError, match="cannot be split"):
        wb.SignalTable(np.zeros((3, 2)), member).lira()


@pytest.mark.parametrize("online", [True, False])
def test_signals_that_do_not_vary_have_no_score(online):
    member = np.random.default_rng(0).random((32, 5)) < 0.5
    constant = wb.SignalTable(np.full((32, 5), 2.0), member)
    scores = constant.lira(online=online).scores
    assert np.unique(scores).size == 1
    assert np.isfinite(scores).all()
