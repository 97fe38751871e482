"""Audits that train: who is in, what is scored, and that the results say how they were sampled."""

import math
import pickle

import numpy as np
import pytest

import workbench as wb
from workbench import training
from workbench.training import (
    AuditedRecord,
    BlackBox,
    CanariesInOneRun,
    DPSGDSettings,
    FederatedCanaries,
    InitialWeights,
    LossScore,
    ManyRecords,
    Network,
    OneShot,
    Rows,
)

DATA = training.labeled_data("digits").take(range(120))
PRIVATE = DPSGDSettings(
    Network((64, 10)), steps=6, sample_rate=0.2, noise_multiplier=1.0, expected_batch=20
)

#: Without noise: what is in shows.
OPEN = DPSGDSettings(
    Network((64, 10)),
    steps=40,
    sample_rate=1.0,
    noise_multiplier=0.0,
    expected_batch=60,
    clip=50.0,
    learning_rate=0.05,
)

ALL = [
    BlackBox(PRIVATE, DATA, models=8),
    OneShot(PRIVATE, DATA, models=2, audited=40),
    CanariesInOneRun(PRIVATE, DATA, models=2, canaries=30),
    ManyRecords(PRIVATE, DATA, models=12, records=5),
    FederatedCanaries(PRIVATE, DATA, models=2, canaries=20),
    FederatedCanaries(PRIVATE, DATA, models=1, canaries=20, statistic="largest-step"),
]
every_audit = pytest.mark.parametrize("audit", ALL, ids=lambda audit: audit.title)


def rows_of(audit, models=None, seed=0):
    indices = range(audit.models) if models is None else models
    return Rows.joined(audit.score_model(i, audit.generator(seed, i)) for i in indices)


def advantage(scores):
    """Share of (member, non-member) pairs in the right order, ties being half."""
    return wb.roc(scores).auc


# -- what holds for every audit -------------------------------------------------------------------


@every_audit
def test_each_model_scores_each_subject_once(audit):
    rows = rows_of(audit)
    assert rows.size == audit.models * audit.subjects
    assert np.unique(np.stack([rows.model, rows.subject]), axis=1).shape[1] == rows.size
    assert np.isfinite(rows.score).all()
    assert 0 < rows.included.sum() < rows.size


@every_audit
def test_a_models_scores_depend_on_the_seed_and_its_index_alone(audit):
    whole = rows_of(audit, seed=3)
    last = audit.models - 1
    alone = rows_of(pickle.loads(pickle.dumps(audit)), models=[last], seed=3)
    assert np.array_equal(whole.of_models([last]).score, alone.score)
    assert np.array_equal(whole.of_models([last]).included, alone.included)
    assert not np.array_equal(rows_of(audit, models=[last], seed=4).score, alone.score)


@every_audit
def test_the_result_says_how_it_was_sampled_and_in_which_direction(audit):
    result = audit.collect(rows_of(audit))
    sampling = "one run" if isinstance(result, wb.OneRun) else result.sampling
    assert sampling == audit.sampling
    assert result.larger_is_member == audit.larger_is_member
    assert result.name == audit.name
    assert audit.collect(rows_of(audit), name="mine").name == "mine"


@every_audit
def test_the_references_are_those_of_the_settings(audit):
    assert audit.reference == wb.DPSGDPair(1.0, 0.2, 6)
    last = wb.LastIteratePair(1.0, 0.2, 6)
    assert audit.heuristic_reference == (last if audit.final_model_only else None)


def test_nothing_is_claimed_without_noise():
    audit = BlackBox(OPEN, DATA, models=4)
    assert audit.reference is None
    assert audit.heuristic_reference is None


@every_audit
def test_too_few_rows_are_told(audit):
    with pytest.raises(wb.ScoresError):
        audit.collect(Rows.joined([]))


def test_independent_runs_are_claimed_where_models_are_not_shared():
    """A result of "independent runs" has one score of each model for each record, no more."""
    claimed = {audit.title for audit in ALL if audit.sampling == "independent runs"}
    assert claimed == {BlackBox.title, ManyRecords.title}
    black_box = rows_of(ALL[0])
    assert np.unique(black_box.model).size == black_box.size


# -- black-box ------------------------------------------------------------------------------------


def test_models_of_even_index_have_the_record():
    rows = rows_of(ALL[0])
    assert rows.included.tolist() == [True, False] * 4


def trained_on(audit, index, monkeypatch):
    """The data that a model was trained on."""
    seen = []
    train = DPSGDSettings.train

    def spy(self, data, *args, **kwargs):
        seen.append(data)
        return train(self, data, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(DPSGDSettings, "train", spy)
        audit.score_model(index, audit.generator(0, index))
    return seen[-1]


@pytest.mark.parametrize("kind", ["row", "mislabeled", "blank"])
def test_the_two_data_sets_differ_in_the_record_alone(kind, monkeypatch):
    audit = BlackBox(PRIVATE, DATA, models=4, record=AuditedRecord(kind, 7))
    with_it, without = (trained_on(audit, i, monkeypatch) for i in (0, 1))
    assert with_it.size == without.size + 1 == audit.items
    assert np.array_equal(with_it.x[:-1], without.x)
    assert np.array_equal(with_it.y[:-1], without.y)
    x, y = with_it.x[-1], with_it.y[-1]
    if kind == "blank":
        assert not x.any()
        assert without.size == DATA.size
    else:
        assert np.array_equal(x, DATA.x[7])
        assert (y == DATA.y[7]) == (kind == "row")
        assert without.size == DATA.size - 1
        assert not (without.x == DATA.x[7]).all(axis=1).any()


def test_a_mislabeled_record_shows_in_models_without_noise():
    audit = BlackBox(OPEN, DATA, models=40, record=AuditedRecord("mislabeled", 3))
    assert advantage(audit.collect(rows_of(audit))) > 0.95


def test_shared_weights_are_the_same_for_all_models_and_do_not_know_the_record(monkeypatch):
    started = []
    train = DPSGDSettings.train

    def spy(self, data, rng, theta=None, **kwargs):
        model = train(self, data, rng, theta=theta, **kwargs)
        started.append((self.noise_multiplier, data.size, theta, model))
        return model

    monkeypatch.setattr(DPSGDSettings, "train", spy)
    audit = BlackBox(PRIVATE, DATA, models=4, initial=InitialWeights("pretrained", steps=200))
    rows_of(audit)
    (first, *models) = started
    assert first[:2] == (0, DATA.size - 1)  # pretrained once, without the record
    assert len(models) == 4
    assert all(np.array_equal(theta, first[3].final) for _, _, theta, _ in models)


@pytest.mark.parametrize("kind", ["random", "fixed", "pretrained"])
def test_what_models_start_from(kind):
    weights, others = InitialWeights(kind, seed=5, steps=200), DATA.without(0)
    theta, again = (weights.theta(PRIVATE, others) for _ in range(2))
    if kind == "random":
        assert theta is None
        return
    assert np.array_equal(theta, again)
    norms = PRIVATE.network.gradients(theta, others.x, others.y).norms()
    # What pretraining is for: the others' gradients are far below the clipping norm.
    assert (np.median(norms) < 0.2 * PRIVATE.clip) == (kind == "pretrained")


def test_an_audit_that_is_sent_to_a_process_has_its_weights():
    audit = BlackBox(PRIVATE, DATA, models=4, initial=InitialWeights("pretrained", steps=3))
    sent = pickle.loads(pickle.dumps(audit))
    assert "_theta" in vars(sent)
    assert np.array_equal(vars(sent)["_theta"], audit.initial.theta(PRIVATE, DATA.without(0)))


# -- one-shot -------------------------------------------------------------------------------------


def test_half_of_the_audited_records_are_held_out(monkeypatch):
    audit = OneShot(PRIVATE, DATA, models=1, audited=40)
    rows = rows_of(audit)
    data = trained_on(audit, 0, monkeypatch)
    assert rows.included.sum() == 20
    assert data.size == DATA.size - 20 == audit.items
    held_out = rows.subject[~rows.included]
    assert np.array_equal(np.sort(data.rows), np.setdiff1d(np.arange(DATA.size), held_out))


def test_trials_are_of_other_records_and_can_be_looked_at_alone():
    audit = OneShot(PRIVATE, DATA, models=2, audited=40)
    rows = rows_of(audit)
    first, second = (rows.of_models([i]) for i in (0, 1))
    assert set(first.subject) != set(second.subject)
    assert audit.collect(first).n_p == audit.collect(second).n_q == 20
    assert audit.collect(rows).n_p == 40


def test_the_score_is_the_change_of_a_loss():
    network, score = Network((64, 10)), LossScore("squared-error", minus_initial=True)
    model = DPSGDSettings.train(OPEN, DATA, np.random.default_rng(0))
    before, after = (
        ((network.logits(theta, DATA.x) - np.eye(10)[DATA.y]) ** 2).sum(axis=1) / 2
        for theta in (model.initial, model.final)
    )
    assert score.of(network, model, DATA) == pytest.approx(after - before, rel=1e-5, abs=1e-5)
    plain = LossScore().of(network, model, DATA)
    probability = np.exp(network.logits(model.final, DATA.x).astype(float))
    probability /= probability.sum(axis=1, keepdims=True)
    expected = -np.log(probability[np.arange(DATA.size), DATA.y])
    assert plain == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("score", [LossScore(), LossScore(minus_initial=True)])
def test_labels_that_must_be_memorized_show(score):
    labels = np.random.default_rng(0).integers(0, 10, DATA.size)
    noise = training.LabeledData(DATA.x, labels, 10)
    audit = OneShot(OPEN, noise, models=1, audited=100, score=score)
    assert advantage(audit.collect(rows_of(audit))) > 0.8


# -- one run --------------------------------------------------------------------------------------


def test_canaries_are_in_by_fair_coins_and_the_others_always(monkeypatch):
    audit = CanariesInOneRun(PRIVATE, DATA, models=1, canaries=80, canary="row")
    rows = rows_of(audit)
    data = trained_on(audit, 0, monkeypatch)
    assert np.array_equal(data.rows, np.r_[80:120, rows.subject[rows.included]])
    run = audit.collect(rows)
    assert run.design == "fair-coins"
    # 60 runs of 80 coins: six standard errors.
    coins = [rows_of(audit, seed=s).included.mean() for s in range(60)]
    assert np.mean(coins) == pytest.approx(0.5, abs=6 * 0.5 / math.sqrt(60 * 80))


def test_mislabeled_canaries_have_the_next_label():
    audit = CanariesInOneRun(PRIVATE, DATA, models=1, canaries=10)
    canaries = audit._canaries
    assert np.array_equal(canaries.y, (DATA.y[:10] + 1) % 10)
    assert np.array_equal(canaries.x, DATA.x[:10])


def test_canaries_of_several_models_have_names_of_their_own():
    audit = CanariesInOneRun(OPEN, DATA, models=3, canaries=60)
    run = audit.collect(rows_of(audit))
    assert run.canaries == 180
    assert len(set(run.ids)) == 180
    found = wb.one_run_bound(run.guess(k_in=40, k_out=40), delta=0)
    assert found.value > 1


# -- many records ---------------------------------------------------------------------------------


def test_the_table_has_the_coins_and_losses_of_all_models():
    audit = ManyRecords(PRIVATE, DATA.take(range(20, 60)), models=12, records=5)
    rows = rows_of(audit)
    table = audit.collect(rows)
    assert (table.n_models, table.n_records) == (12, 5)
    assert table.record_names.tolist() == [20, 21, 22, 23, 24]
    assert table.design.is_independent
    assert table.attributes["label"].tolist() == DATA.y[20:25].tolist()
    assert np.array_equal(table.attributes["image"][2], DATA.x[22].reshape(8, 8))
    for row in range(rows.size):
        model, record = rows.model[row], rows.subject[row]
        assert table.scores[model, record] == rows.score[row]
        assert table.member[model, record] == rows.included[row]


def test_a_table_of_some_of_the_models_has_their_names():
    audit = ManyRecords(PRIVATE, DATA, models=12, records=5)
    table = audit.collect(rows_of(audit).of_models([1, 4, 7]))
    assert table.model_names.tolist() == [1, 4, 7]


def test_half_of_a_models_rows_are_no_table():
    audit = ManyRecords(PRIVATE, DATA, models=12, records=5)
    rows = rows_of(audit)
    cut = Rows(rows.model[:-1], rows.subject[:-1], rows.included[:-1], rows.score[:-1])
    with pytest.raises(wb.ScoresError, match="59 scores of 12 models"):
        audit.collect(cut)


# -- federated ------------------------------------------------------------------------------------


def linear(**changes):
    settings = {"steps": 20, "sample_rate": 0.3, "noise_multiplier": 1.0, "expected_batch": 1}
    return DPSGDSettings(
        Network((64, 30)), optimizer="sgd", learning_rate=0.1, **{**settings, **changes}
    )


def empty(classes):
    return training.LabeledData(np.zeros((0, 64)), np.zeros(0, int), classes)


@pytest.mark.statistical
def test_canaries_that_are_alone_leak_as_the_last_iterate_pair():
    """Without other records the loss is linear in the canaries, so the heuristic is exact."""
    audit = FederatedCanaries(linear(), empty(30), models=60, canaries=20)
    rows = rows_of(audit)
    pair = audit.heuristic_reference
    # Scores are in units of the learning rate, over the divisor 1.
    scores = rows.score / 0.1
    outside, inside = scores[~rows.included], scores[rows.included]
    spread, n = math.sqrt(20), outside.size
    # The other canaries add 6 + 20 · 0.21 to the variance in 1950 dimensions, 20 of them.
    others = 20 * (6**2 + 20 * 0.21) / 1950
    expected = math.sqrt(spread**2 + others)
    assert outside.std() == pytest.approx(expected, rel=4 / math.sqrt(2 * n))
    assert inside.mean() - outside.mean() == pytest.approx(6, abs=5 * expected * math.sqrt(2 / n))
    errors = [(inside > t).mean() - (outside > t).mean() for t in (2.0, 3.0, 4.0)]
    assert max(errors) == pytest.approx(pair.total_variation, abs=5 * math.sqrt(0.5 / n) + 0.01)


def test_the_largest_step_is_read_off_the_released_gradients():
    few = linear(steps=1, sample_rate=1.0, noise_multiplier=0.01)
    scores = {}
    for statistic in ("final", "largest-step"):
        audit = FederatedCanaries(few, empty(30), models=1, canaries=10, statistic=statistic)
        scores[statistic] = rows_of(audit).score
    # One step of plain gradient descent moves by the learning rate times what is released.
    assert scores["final"] == pytest.approx(0.1 * scores["largest-step"], rel=1e-3, abs=1e-5)


def test_canaries_that_do_not_fit_are_told():
    wide = DPSGDSettings(
        Network((64, 200, 10)), steps=1, sample_rate=0.1, noise_multiplier=1, expected_batch=10
    )
    with pytest.raises(ValueError, match="canaries must be at most 3331 for a network of 15010"):
        FederatedCanaries(wide, DATA, models=1, canaries=3500)


# -- bad arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: BlackBox(PRIVATE, DATA, models=3), "models must be a whole number of at least 4"),
        (
            lambda: BlackBox(PRIVATE, DATA, models=4, record=AuditedRecord("row", 120)),
            "record.row must be below the 120 records",
        ),
        (lambda: AuditedRecord("canary"), "kind must be one of 'row', 'mislabeled', 'blank'"),
        (lambda: InitialWeights("zeros"), "kind must be one of 'random', 'fixed', 'pretrained'"),
        (lambda: LossScore("hinge"), "loss must be one of 'cross-entropy', 'squared-error'"),
        (lambda: OneShot(PRIVATE, DATA, 1, audited=41), "audited must be an even number"),
        (lambda: OneShot(PRIVATE, DATA, 1, audited=400), "at most the 120 records"),
        (lambda: OneShot(PRIVATE, DATA, 0, audited=40), "models must be a whole number"),
        (lambda: CanariesInOneRun(PRIVATE, DATA, 1), "canaries must be at most the 120 records"),
        (lambda: CanariesInOneRun(PRIVATE, DATA, 1, canaries=9, canary="x"), "canary must be one"),
        (lambda: ManyRecords(PRIVATE, DATA, 4, records=121), "records must be at most the 120"),
        (lambda: ManyRecords(PRIVATE, DATA, 1), "models must be a whole number of at least 2"),
        (
            lambda: FederatedCanaries(PRIVATE, DATA, 1, statistic="mean"),
            "statistic must be one of 'final', 'largest-step'",
        ),
        (
            lambda: BlackBox(PRIVATE, training.labeled_data("breast-cancer"), models=4),
            "takes 64 features and has 10 classes, and data have 30 and 2",
        ),
        (
            lambda: BlackBox(
                DPSGDSettings(Network((64, 10)), 5, 0.9, 1.0, expected_batch=121), DATA, models=4
            ),
            "expected_batch must be at most the 120 records and canaries of a model, got 121",
        ),
    ],
)
def test_bad_arguments_are_told(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("settings", "DPSGDSettings"),
        ("data", "LabeledData"),
        ("record", "AuditedRecord"),
        ("initial", "InitialWeights"),
        ("score", "LossScore"),
    ],
)
@pytest.mark.parametrize("bad", [1, None, "row", [1, 2]], ids=repr)
def test_another_class_is_told_which_one_is_meant(name, kind, bad):
    with pytest.raises(TypeError, match=rf"{name} must be a workbench\.training\.{kind}; got"):
        BlackBox(**{"settings": PRIVATE, "data": DATA, "models": 4, name: bad})
    if name in ("settings", "data"):
        for audit in (OneShot, CanariesInOneRun, ManyRecords, FederatedCanaries):
            with pytest.raises(TypeError, match=rf"{name} must be a workbench\.training\.{kind}"):
                audit(**{"settings": PRIVATE, "data": DATA, "models": 4, name: bad})


# -- what bounds from trained models say ----------------------------------------------------------


def one_step(**changes):
    """One step on all records, of which a linear model shows nearly all: μ = 1."""
    settings = {"sample_rate": 1.0, "noise_multiplier": 1.0, "expected_batch": 1, "steps": 1}
    return DPSGDSettings(
        Network((64, 10)), optimizer="sgd", learning_rate=0.5, **{**settings, **changes}
    )


def black_box(models, **changes):
    record, initial = AuditedRecord("mislabeled", 0), InitialWeights("pretrained")
    few = DATA.take(range(20))
    return BlackBox(one_step(**changes), few, models, record=record, initial=initial)


@pytest.mark.statistical
def test_bounds_of_black_box_audits_are_below_the_accountants_and_those_of_a_bug_are_not():
    """At most the nominal share of 60 audits; more than 9 have a probability of 0.1% at 5%."""
    right, wrong = black_box(200), black_box(200, bug="scaled-noise", noise_scale=0.25)
    claimed = right.reference.gdp_mu()
    assert claimed == pytest.approx(1.0)
    bounds = [wb.mu_lower_bound(right.collect(rows_of(right, seed=k))).value for k in range(60)]
    assert sum(bound > claimed for bound in bounds) <= 9
    caught = [wb.mu_lower_bound(wrong.collect(rows_of(wrong, seed=k))).value for k in range(10)]
    assert min(caught) > claimed


@pytest.mark.statistical
def test_worst_case_weights_let_the_final_loss_tell_nearly_everything():
    audit = black_box(3000)
    scores = audit.collect(rows_of(audit))
    # The area under the curve of a Gaussian pair with μ = 1 is Φ(1/√2) = 0.760.
    assert advantage(scores) == pytest.approx(0.760, abs=0.03)
    assert 0.7 < wb.mu_lower_bound(scores).value < 1


@pytest.mark.statistical
def test_bounds_of_one_run_are_below_the_accountants():
    """Of 200 runs at a nominal 5%; more than 20 have a probability of 0.1%."""
    audit = CanariesInOneRun(one_step(), DATA, models=1, canaries=100)
    epsilon = audit.reference.epsilon(1e-5)
    found = []
    for seed in range(200):
        run = audit.collect(rows_of(audit, seed=seed))
        found.append(wb.one_run_bound(run.guess(k_in=20, k_out=20), delta=1e-5).value)
    assert sum(bound > epsilon for bound in found) <= 20
    assert max(found) > 0  # there is something to find
