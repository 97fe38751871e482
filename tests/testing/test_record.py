"""`record.check`: each kind of finding has a mechanism with the fault, and a twin without it."""

import pickle
import random
import threading

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.mechanisms.gallery import GALLERY
from workbench.testing import record
from workbench.testing.record.checking import shift_of
from workbench.testing.record.findings import KINDS
from workbench.testing.record.places import Place

DATASET = np.array([0.2, 0.7, 0.4])
NEIGHBOR = np.array([0.2, 0.7, 0.4, 1.0])


def line_of(function, text):
    """The line of a function in this file that has a text."""
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().split("\n")
    start = function.__code__.co_firstlineno
    return next(i for i in range(start, len(lines)) if text in lines[i - 1])


def kinds(found):
    return [one.kind for one in found.certain]


def check(mechanism, claim=None, dataset=DATASET, neighbor=NEIGHBOR, **options):
    return record.check(mechanism, dataset, neighbor, claim, **options)


# -- every kind, and its twin ----------------------------------------------------------------------


def stated_sum(data, rng):
    return record.laplace(np.clip(data, 0, 1).sum(), sensitivity=1, epsilon=0.5, rng=rng)


def understated_sum(data, rng):
    total = 3 * np.clip(data, 0, 1).sum()
    return record.laplace(total, sensitivity=1, epsilon=0.5, rng=rng)


def gaussian_sum(data, rng):
    return record.gaussian(data.sum(), sensitivity=1, sigma=2, rng=rng)


def understated_gaussian(data, rng):
    return record.gaussian(np.array([data.sum(), len(data)]), sensitivity=1, sigma=2, rng=rng)


def threshold_count(data, rng):
    return record.threshold(len(data), 3, sensitivity=1, epsilon=1, rng=rng)


def understated_threshold(data, rng):
    return record.threshold(2 * len(data), 3, sensitivity=1, epsilon=1, rng=rng)


def geometric_count(data, rng):
    return record.geometric(len(data), sensitivity=1, epsilon=1, rng=rng)


def understated_geometric(data, rng):
    return record.geometric(2 * len(data), sensitivity=1, epsilon=1, rng=rng)


@pytest.mark.parametrize(
    ("right", "wrong", "moved"),
    [
        (stated_sum, understated_sum, "moves by 3 (L1)"),
        (gaussian_sum, understated_gaussian, "moves by 1.41 (L2)"),
        (threshold_count, understated_threshold, "moves by 2 (L1)"),
        (geometric_count, understated_geometric, "moves by 2 (L1)"),
    ],
)
def test_a_value_that_moves_further_than_stated(right, wrong, moved):
    assert check(right).findings == ()
    found = check(wrong)
    assert kinds(found) == ["sensitivity"]
    assert moved in found.certain[0].words
    assert found.certain[0].place == Place(__file__, line_of(wrong, "record."), wrong.__name__)


def noise_always(data, rng):
    return data.sum() + rng.laplace(0, 1)


def noise_if_many(data, rng):
    if len(data) > 3:
        return data.sum() + rng.laplace(0, 1)
    return 0.0


def noise_of_noisy_choice(data, rng):
    many = record.laplace(len(data), sensitivity=1, epsilon=1, rng=rng)
    return data.sum() + rng.laplace(0, 1) if many > 3 else 0.0


def noise_for_each_value(data, rng):
    return np.sort(data)[::-1] + rng.laplace(0, 1, len(data))


@pytest.mark.parametrize("twin", [noise_always, noise_of_noisy_choice])
def test_the_control_flow_may_depend_on_noisy_values_only(twin):
    assert check(twin).certain == ()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (noise_if_many, "called not at all on the data set and once on the neighbor"),
        (noise_for_each_value, "the shape (3,) on the data set and (4,) on the neighbor"),
    ],
)
def test_calls_that_depend_on_the_data(wrong, words):
    found = check(wrong)
    assert kinds(found) == ["control flow"]
    assert words in found.certain[0].words
    assert found.certain[0].place.line == line_of(wrong, "rng.laplace")


def test_a_mechanism_that_raises_on_the_neighbor():
    def fails(data, rng):
        noisy = len(data) + rng.laplace(0, 1)
        if len(data) > 3:
            raise RuntimeError("too many records")
        return noisy

    found = check(fails)
    assert kinds(found) == ["control flow"]
    assert "RuntimeError: too many records" in found.certain[0].words
    assert found.certain[0].place.line == line_of(fails, "raise RuntimeError")
    with pytest.raises(ValueError, match="raises on the data set: RuntimeError: too many records"):
        check(fails, dataset=NEIGHBOR, neighbor=DATASET)


def bare_count(data, rng):
    return np.array([data.sum() + rng.laplace(0, 1), len(data)])


def both_noisy(data, rng):
    return np.array([data.sum() + rng.laplace(0, 1), len(data) + rng.laplace(0, 1)])


def test_data_in_the_output_without_noise():
    assert check(both_noisy).findings == ()
    found = check(bare_count)
    assert kinds(found) == ["output"]
    assert "entry [1]: 3 and 4" in found.certain[0].words


def test_no_noise_at_all():
    def mean(data, rng):
        return data.mean()

    found = check(mean)
    assert kinds(found) == ["output"]
    assert "there is no noise at all" in found.certain[0].words
    assert found.certain[0].place.line == mean.__code__.co_firstlineno


def true_scale(data, rng):
    return data.mean() + rng.laplace(0, 1 / len(data))


def known_scale(data, rng):
    return data.sum() / 3 + rng.laplace(0, 1 / 3)


def divided_by_true_count(data, rng):
    return (data.sum() + rng.laplace(0, 1)) / len(data)


def divided_by_noisy_count(data, rng):
    return (data.sum() + rng.laplace(0, 1)) / np.maximum(1, len(data) + rng.laplace(0, 1))


@pytest.mark.parametrize("wrong", [true_scale, divided_by_true_count])
def test_the_size_of_noise_depends_on_the_data(wrong):
    found = check(wrong, "pure(2)")
    assert kinds(found) == ["scale"]
    assert found.refuted
    assert "the scale 0.333 on the data set and 0.25 on the neighbor" in found.certain[0].words
    assert not check(wrong).refuted  # no claim, nothing to refute
    assert not check(wrong, "approx(2, 1e-3)").refuted  # Laplace noise of two scales may keep it


@pytest.mark.parametrize("right", [known_scale, divided_by_noisy_count])
def test_noise_of_known_size(right):
    assert check(right, "pure(2)").findings == ()


def test_two_scales_of_gaussian_noise_against_a_renyi_claim():
    def scaled(factor):
        def mean(data, rng):
            return rng.normal(0, 1 if len(data) == 3 else factor)

        return mean

    # D(N(0, 1) || N(0, 1.21)) of order 2 = ln 1.1 + ½ ln(1.21 / 1.42) = 0.0153
    assert not check(scaled(1.1), "renyi(2, 0.03)").refuted
    assert check(scaled(1.1), "renyi(2, 0.014)").refuted
    # D(N(0, 4) || N(0, 1)) of order 2 is infinite: 2 · 1 − 4 < 0
    assert check(scaled(2), "renyi(2, 100)").refuted
    assert check(scaled(1.1), "gdp(10)").refuted


def shared_noise(data, rng):
    noise = rng.laplace(0, 1)
    return np.array([data.sum() + noise, -data.sum() + noise])


def shared_by_a_vector(data, rng):
    return np.array([data.sum(), 0.0]) + rng.laplace(0, 1)


def noise_each(data, rng):
    return np.array([data.sum(), 0.0]) + rng.laplace(0, 1, 2)


@pytest.mark.parametrize("wrong", [shared_noise, shared_by_a_vector])
def test_noise_that_is_added_twice(wrong):
    assert check(noise_each).findings == ()
    assert kinds(check(wrong)) == ["noise reused"]


def test_the_same_noise_on_values_that_move_together_is_no_fault():
    def together(data, rng):
        return np.array([data.sum(), data.sum() + 5]) + rng.laplace(0, 1)

    assert check(together, "pure(1)").certain == ()


def test_noise_of_scale_0():
    def none(data, rng):
        return data.sum() + rng.laplace(0, 0.0)

    found = check(none)
    assert kinds(found) == ["no noise"]


def test_a_budget_that_does_not_suffice():
    def release(data, rng):
        return data.sum() + rng.laplace(0, 0.5)

    found = check(release, "pure(1)")
    assert kinds(found) == ["budget"]
    assert found.refuted
    assert "costs ε = 2" in found.certain[0].words
    assert check(release, "pure(2)").findings == ()
    assert check(release, "approx(1, 0.9)").findings == ()

    def largest(data, rng):
        return max(len(data) + rng.laplace(0, 0.5), 0.0)

    indicated = check(largest, "pure(1)")
    assert indicated.certain == ()
    assert [one.kind for one in indicated.findings] == ["budget"]


def test_values_that_share_noise_are_not_counted_twice():
    def twice(data, rng):
        noisy = data.sum() + rng.laplace(0, 1)
        return noisy, 2 * noisy

    assert check(twice, "pure(1)").findings == ()


def test_a_scale_that_depends_on_a_noisy_count():
    def library_mean(data, size, rng, epsilon=0.01):
        # A negative noisy count is not clamped in the mean.
        count = len(data) + rng.laplace(0, 2 / epsilon, size)
        scale = np.maximum(1e-12, 2 / (count * epsilon))
        return data.sum() / count + rng.laplace(0, scale, size)

    found = check(library_mean, "approx(0.01, 1e-3)", np.array([1.0]), np.array([1.0, 1.0]))
    assert {one.kind for one in found.findings} == {"varying scale", "budget"}
    assert found.certain == ()
    varying = next(one for one in found.findings if one.kind == "varying scale")
    assert "1e-12 in one run" in varying.words
    assert varying.place.line == line_of(library_mean, "data.sum() / count")


def test_bounds_that_depend_on_the_data():
    def ranged(data, rng):
        return np.clip(data, 0, data.max()).sum() + rng.laplace(0, 1)

    found = check(ranged)
    assert [(one.kind, one.certain) for one in found.findings] == [("bounds", False)]
    assert "0.7 on the data set and 1 on the neighbor" in found.findings[0].words

    def stated(data, rng):
        return record.clip(data, 0, data.max()).sum() + rng.laplace(0, 1)

    assert [one.kind for one in check(stated).findings] == ["bounds"]


def test_randomness_that_is_not_recorded():
    hidden = random.SystemRandom()

    def outside(data, rng):
        return data.sum() + rng.laplace(0, 1) + hidden.gauss(0, 1)

    found = check(outside)
    assert kinds(found) == ["randomness"]
    assert "only statistics" in found.certain[0].words


def test_all_kinds_are_tested():
    of_training = {"sampling", "divisor"}  # test_record_training.py
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    assert {kind for kind in KINDS if f'"{kind}"' in text.split("def test_all_kinds")[0]} == (
        set(KINDS) - of_training
    )


# -- what is not certain ---------------------------------------------------------------------------


def test_values_after_noise_may_be_used_as_one_likes():
    def centered(data, rng):
        middle = np.clip(data, 0, 1).sum() + rng.laplace(0, 1)
        return np.clip(data - middle, -1, 1).sum() + rng.laplace(0, 2)

    def two_sums(data, rng):
        return data[:2].sum() + rng.laplace(0, 1) + data[2:].sum()

    def summed_up(data, rng):
        total = rng.normal(0, 1)
        for one in data:
            total += one
        return total

    for mechanism in (centered, two_sums, summed_up):
        assert check(mechanism).findings == ()


def test_what_a_noisy_threshold_hides_is_not_certain():
    def above(data, rng):
        return data.sum() > 1.5 + rng.laplace(0, 1)

    def then(data, rng):
        if data.sum() > 1.5 + rng.laplace(0, 0.01):
            return data.sum() + rng.laplace(0, 1)
        return None

    for mechanism in (above, then):
        found = check(mechanism)
        assert found.certain == ()
        assert found.findings


def test_random_choices_are_left_to_statistics():
    def flipped(data, rng):
        return (data > 0.5) ^ (rng.random(len(data)) < 0.25)

    found = check(flipped, dataset=np.array([0.2, 0.7]), neighbor=np.array([0.9, 0.7]))
    assert found.certain == ()
    assert [place.line for place in found.untrusted] == [line_of(flipped, "rng.random")]
    assert "Left to statistics" in found.in_words()


def test_noise_that_is_rounded_before_it_is_added():
    def rounded(data, rng):
        return len(data) + round(rng.laplace(0, 1))

    assert check(rounded).certain == ()


# -- code without changes --------------------------------------------------------------------------


def test_functions_of_numpy_random_and_generators_made_inside():
    def legacy(data):
        return 3 * data.sum() + np.random.laplace(0, 1)  # noqa: NPY002

    def inside(data):
        rng = np.random.default_rng()
        return 3 * data.sum() + rng.laplace(0, 1)

    for mechanism in (legacy, inside):
        found = check(mechanism, "pure(1)")
        assert kinds(found) == ["budget"]
        assert found.primitives[0].epsilon == pytest.approx(3)


TABLE = pd.DataFrame({"group": list("aabbc"), "value": [1.0, 2, 3, 4, 5]})


def test_tables_of_pandas():
    def counts(table):
        return table.groupby("group")["value"].count().reindex(list("abc"), fill_value=0)

    def all_groups(table, rng):
        return counts(table) + rng.laplace(0, 1, 3)

    def each(table, rng):
        return counts(table).apply(lambda count: count + rng.laplace(0, 1))

    def frame(table, rng):
        noisy = counts(table).to_frame()
        return noisy + rng.laplace(0, 1, noisy.shape)

    def present_groups(table, rng):
        found = table.groupby("group")["value"].count()
        return {name: count + rng.laplace(0, 1) for name, count in found.items()}

    smaller = TABLE.iloc[:-1]
    for right in (all_groups, each, frame):
        found = check(right, "pure(1)", TABLE, smaller)
        assert found.findings == ()
        assert found.epsilon == pytest.approx(1)
    assert kinds(check(present_groups, "pure(1)", TABLE, smaller)) == ["control flow"]


def test_a_stated_primitive_takes_a_table():
    def release(table, rng):
        found = table.groupby("group")["value"].count().reindex(list("abc"), fill_value=0)
        return record.laplace(found, sensitivity=1, epsilon=1, rng=rng)

    smaller = TABLE.iloc[:-1]
    found = check(release, "pure(1)", TABLE, smaller)
    assert found.findings == ()
    assert found.primitives[0].declared == 1
    noisy = release(TABLE, np.random.default_rng(0))
    assert list(noisy.index) == list("abc")
    wrong = check(lambda table, rng: release(table, rng) + len(table), "pure(1)", TABLE, smaller)
    assert kinds(wrong) == ["output"]


def test_noise_on_a_noisy_value():
    def twice(data, rng):
        first = data.sum() + rng.laplace(0, 1)
        return record.laplace(first, sensitivity=1, epsilon=1, rng=rng)

    assert check(twice, "pure(1)").findings == ()


def test_nested_functions_and_lines_of_their_own():
    def noisy(value, rng):
        return value + rng.laplace(0, 1)

    def outer(data, rng):
        return [noisy(3 * data.sum(), rng), noisy(len(data), rng)]

    found = check(outer, "pure(1)")
    assert {one.place.line for one in found.findings} == {line_of(noisy, "rng.laplace")}
    assert found.primitives[0].calls == 2
    assert found.primitives[0].place.function == "noisy"


def test_poisson_sampling_keeps_records_together():
    def step(data, rng):
        batch = record.sample(data, rate=0.5, rng=rng)
        return record.gaussian(np.clip(batch, 0, 1).sum(), sensitivity=1, sigma=1, rng=rng)

    for neighbor in (NEIGHBOR[1:], NEIGHBOR[[0, 1, 3]], NEIGHBOR[:-1]):
        found = check(step, dataset=NEIGHBOR, neighbor=neighbor, runs=8)
        assert found.findings == ()
        assert check(step, dataset=neighbor, neighbor=NEIGHBOR, runs=8).findings == ()
        assert found.primitives[0].measured <= 1

    def unclipped(data, rng):
        batch = record.sample(data, rate=0.5, rng=rng)
        return record.gaussian(10 * batch.sum(), sensitivity=1, sigma=1, rng=rng)

    found = check(unclipped, dataset=NEIGHBOR, neighbor=NEIGHBOR[1:], runs=8)
    assert found.certain[0].kind == "sensitivity"
    assert "moves by 2 (L2)" in found.certain[0].words


# -- our gallery -----------------------------------------------------------------------------------

#: Broken mechanisms with a certain finding: its kind, and text of the line.
CERTAIN = {
    "laplace-mean-true-scale": ("scale", "rng.laplace"),
    "gaussian-mean-true-scale": ("scale", "rng.normal"),
    "gaussian-sum-unclipped": ("budget", "rng.normal"),
    "svt5": ("no noise", "rng.laplace"),
    "histogram-empty-bins": ("output", "np.where(counts == 0"),
}


@pytest.mark.parametrize("name", list(GALLERY.ours))
def test_no_private_mechanism_of_the_gallery_has_a_certain_finding(name):
    card = wb.mechanism(name)
    found = record.check(card)
    if card.private:
        assert found.certain == ()


@pytest.mark.parametrize("name", list(CERTAIN))
def test_broken_mechanisms_are_named_with_their_line(name):
    kind, text = CERTAIN[name]
    first = record.check(wb.mechanism(name)).certain[0]
    assert first.kind == kind
    with open(first.place.file, encoding="utf-8") as file:
        assert text in file.read().split("\n")[first.place.line - 1]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("laplace-mean-true-count", "varying scale"),
        ("gaussian-mean-true-count", "varying scale"),
        ("noisy-max-value", "budget"),
        ("dp-gd-half-noise", "budget"),
        ("svt4", "budget"),
        ("randomized-response-coin", "output"),
    ],
)
def test_others_are_indicated(name, kind):
    found = record.check(wb.mechanism(name))
    assert found.certain == ()
    assert kind in {one.kind for one in found.findings}


# -- results ---------------------------------------------------------------------------------------


def test_results_are_tables_texts_and_plain_values():
    found = check(understated_sum, "pure(0.5)")
    frame = found.to_frame()
    assert list(frame.columns) == [
        "kind",
        "certain",
        "refutes",
        "file",
        "line",
        "function",
        "words",
    ]
    assert len(frame) == len(found.findings)
    primitives = found.primitives_frame()
    assert primitives["declared"].tolist()[0] == 1
    assert primitives["measured"].tolist()[0] == pytest.approx(3)
    assert "test_record.py" in found._repr_html_()
    plain = found.to_dict()
    assert plain["claim"] == "pure(0.5)"
    assert plain["findings"][0]["place"]["function"] == "understated_sum"
    assert pickle.loads(pickle.dumps(found)) == found
    assert str(found).startswith("understated_sum: ")
    nothing = check(stated_sum)
    assert nothing.to_frame().empty
    assert "does not show that the mechanism is private" in str(nothing)


def test_primitives_have_their_numbers():
    def several(data, rng):
        values = record.clip(data, 0, 1)
        many = record.count(data)
        return record.laplace(values.sum(), sensitivity=1, epsilon=0.5, rng=rng), many * 0

    found = check(several)
    by_kind = {one.kind: one for one in found.primitives}
    assert by_kind["noise"].scale == 2
    assert by_kind["noise"].measured == pytest.approx(1)
    assert by_kind["noise"].epsilon == pytest.approx(0.5)
    assert by_kind["clip"].calls == by_kind["count"].calls == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((stated_sum,), "give a dataset and a neighbor"),
        ((3, DATASET, NEIGHBOR), "a mechanism must be a function"),
        ((stated_sum, DATASET, NEIGHBOR, "nothing"), "cannot read the claim"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        record.check(*arguments)


def test_bad_arguments_of_primitives():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="sensitivity must be above 0"):
        record.laplace(1.0, sensitivity=0, epsilon=1, rng=rng)
    with pytest.raises(ValueError, match="sigma must be above 0"):
        record.gaussian(1.0, sensitivity=1, sigma=-1, rng=rng)
    with pytest.raises(ValueError, match="rate must lie in"):
        record.sample(DATASET, rate=0, rng=rng)


# -- nothing else changes --------------------------------------------------------------------------


def test_everything_is_as_before_whatever_happens():
    before = {name: getattr(np.random, name) for name in ("default_rng", "laplace", "normal")}
    before["clip"], before["gauss"] = np.clip, random.gauss

    def fails(data, rng):
        np.random.default_rng(0)
        raise RuntimeError("no")

    with pytest.raises(ValueError, match="RuntimeError: no"):
        check(fails)
    for mechanism in (stated_sum, noise_if_many):
        check(mechanism)
    after = {name: getattr(np.random, name) for name in ("default_rng", "laplace", "normal")}
    after["clip"], after["gauss"] = np.clip, random.gauss
    assert before == after


def test_other_threads_are_not_recorded():
    seen = []
    started, done = threading.Event(), threading.Event()

    def other():
        started.wait(10)
        seen.append(type(np.random.default_rng(0)) is np.random.Generator)
        seen.append(float(np.clip(5, 0, 1)))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def release(data, rng):
        started.set()
        done.wait(10)
        return data.sum() + rng.laplace(0, 1)

    found = check(release, runs=1)
    thread.join()
    assert seen == [True, 1.0]
    assert found.findings == ()
    assert [one.kind for one in found.primitives] == ["noise"]


def test_several_threads_may_record_at_once():
    found = {}

    def run(name, mechanism):
        found[name] = kinds(check(mechanism))

    threads = [
        threading.Thread(target=run, args=(i, mechanism))
        for i, mechanism in enumerate([stated_sum, understated_sum] * 4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [found[i] for i in range(8)] == [[], ["sensitivity"]] * 4


def test_a_primitive_without_a_recorder_is_the_plain_call():
    a, b = np.random.default_rng(1), np.random.default_rng(1)
    assert record.laplace(2.0, sensitivity=1, epsilon=0.5, rng=a) == 2.0 + b.laplace(0.0, 2.0)
    many = record.gaussian(np.zeros(3), sensitivity=1, sigma=2, rng=a)
    assert np.array_equal(many, b.normal(0.0, 2.0, 3))
    chance = -np.expm1(-0.5)
    noise = b.geometric(chance) - b.geometric(chance)
    assert record.geometric(3, sensitivity=2, epsilon=1, rng=a) == 3 + noise
    assert np.array_equal(record.clip(np.array([-1.0, 5.0]), 0, 1), [0, 1])
    assert record.count([1, 2]) == 2
    assert np.array_equal(record.sample(DATASET, rate=0.5, rng=a), DATASET[b.random(3) < 0.5])


@pytest.mark.parametrize(
    ("first", "second", "at"),
    [
        ([1.0, 2, 3], [1.0, 2, 3, 4], 3),
        ([1.0, 2, 3], [9.0, 1, 2, 3], 0),
        ([1.0, np.nan, 3], [1.0, np.nan, 5, 3], 2),
        ([[1.0, 2], [3, 4]], [[1.0, 2], [5, 6], [3, 4]], 1),
        ([], [1.0], 0),
        ([1.0, 2, 3], [1.0, 2, 4], None),
        ([1.0, 2, 3], [4.0, 5, 6, 7], None),
        ([1.0, 2, 3], [1.0], None),
        ({"a": 1}, {"a": 1, "b": 2}, None),
        (3, 4, None),
    ],
)
def test_the_record_that_one_data_set_has_more(first, second, at):
    found, back = shift_of(first, second), shift_of(second, first)
    if at is None:
        assert found is back is None
    else:
        assert (found.at, found.more, back.at, back.more) == (at, True, at, False)
        assert (found.records, back.records) == (len(first), len(second))


def test_rows_of_tables_are_compared():
    assert shift_of(TABLE, TABLE.drop(index=1)).at == 1


def test_many_draws_keep_their_numbers():
    def many(data, rng):
        return [data.sum() + rng.laplace(0, 100) for _ in range(200)]

    found = check(many, "pure(1)", runs=1)
    assert [one.kind for one in found.certain] == ["budget"]
    assert found.epsilon == pytest.approx(2)
    assert check(many, "pure(2)", runs=1).findings == ()
