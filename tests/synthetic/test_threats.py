"""Singling out, linkability, inference and copies: what succeeds, and who it is counted for."""

import inspect
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.synthetic.tables import read_synthetic_tables
from workbench.synthetic.threats.base import Threat, threats_frame
from workbench.synthetic.threats.base import leaking as leaking_of
from workbench.synthetic.threats.copies import Copies
from workbench.synthetic.threats.inference import Inference, right
from workbench.synthetic.threats.linkability import Linkability
from workbench.synthetic.threats.predicates import (
    Condition,
    matches,
    multivariate,
    only_matches,
    text_of,
    univariate,
)
from workbench.synthetic.threats.registry import (
    THREATS,
    default_attacks,
    successes_of,
    threats_of,
)
from workbench.synthetic.threats.singling_out import SinglingOut, single_matches
from workbench.synthetic.threats.view import ThreatView, Values, nearest

JOBS = ("baker", "clerk", "driver", "nurse")


def table(n, seed):
    """People with a number, a number with gaps, a date, and two categories."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "age": np.round(45 + 12 * z + 6 * rng.normal(size=n)).clip(18, 95),
            "pay": np.exp(10 + 0.5 * z + 0.4 * rng.normal(size=n)).round(2),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "job": rng.choice(JOBS, n, p=[0.5, 0.3, 0.15, 0.05]),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame.loc[rng.random(n) < 0.05, "pay"] = np.nan
    return frame


def audited(leak=0.0, n=800, seed=0, **more):
    """Three tables, of which a share of the synthetic one is members with a little noise."""
    split = wb.synthetic.split_by_coin(table(n, seed), seed=seed)
    made = table(n // 2, seed + 1)
    copied = int(leak * len(made))
    if copied:
        some = split.train.sample(copied, random_state=0).reset_index(drop=True)
        some["pay"] *= 1 + 0.001 * np.arange(copied) / copied
        made = pd.concat([some, made.iloc[copied:]], ignore_index=True)
    return read_synthetic_tables(*split, made, seed=seed, **more)


@pytest.fixture(scope="module")
def leaking():
    return audited(leak=0.2, n=1200)


def found(tables, attack, **more):
    """The first threat of an attack on tables."""
    made = successes_of(ThreatView.of(tables), tables.chance, [attack])
    return threats_of(made, tables, **({"split": "coin", "delta": 1e-5} | more))[0]


# -- distances -------------------------------------------------------------------------------------


def gower(view, row, synthetic):
    total = 0.0
    for column in view.columns:
        a, b = column.pool[row], column.synthetic[synthetic]
        if not column.ordered:
            total += float(a != b)
        elif np.isnan(a) or np.isnan(b):
            total += float(np.isnan(a) != np.isnan(b))
        else:
            total += abs(a - b) / column.spread
    return total


def test_nearest_records_are_those_of_the_distance_written_out():
    tables = audited(n=120)
    view = ThreatView.of(tables)
    rows = np.arange(0, 120, 7)
    places, distances = nearest(view.columns, rows, 3)
    for row, place, distance in zip(rows, places, distances, strict=True):
        all_of_it = np.array([gower(view, row, s) for s in range(view.synthetic_size)])
        assert distance == pytest.approx(np.sort(all_of_it)[:3], abs=1e-5)
        assert all_of_it[place] == pytest.approx(distance, abs=1e-5)


def test_a_far_offset_and_huge_numbers_keep_their_distances():
    values = np.array([1.7e9, 1.7e9 + 1, 1.7e9 + 2])
    column = Values("t", "numeric", values, values[::-1].copy())
    assert column.distances(np.arange(3))[0] == pytest.approx([1, 0.5, 0])
    huge = np.array([-1.7e308, 0.0, 1.7e308])
    column = Values("t", "numeric", huge, huge)
    assert column.distances(np.arange(3))[0] == pytest.approx([0, 0.5, 1])
    constant = Values("t", "numeric", np.ones(3), np.ones(3))
    assert not constant.distances(np.arange(3)).any()


def test_texts_of_values():
    assert Values("d", "date", np.zeros(1), np.zeros(1)).text(18262.0) == "2020-01-01"
    assert Values("d", "date", np.zeros(1), np.zeros(1)).text(18262.5) == "2020-01-01T12:00:00"
    assert Values("x", "numeric", np.zeros(1), np.zeros(1)).text(45123.25) == "45123.25"
    assert Values("c", "category", np.zeros(1), np.zeros(1), ("a", "b")).text(1.0) == "b"
    assert Values("c", "category", np.zeros(1), np.zeros(1), ("a", "b")).text(-1.0) == "missing"
    assert Values("x", "numeric", np.zeros(1), np.zeros(1)).text(np.nan) == "missing"


# -- predicates ------------------------------------------------------------------------------------


def holds(predicate, view, row, synthetic):
    for one in predicate:
        column = view.columns[one.column]
        value = (column.synthetic if synthetic else column.pool)[row]
        missing = np.isnan(value) if column.ordered else value == -1
        met = {
            "missing": missing, "=": value == one.value,
            "≤": value <= one.value, "≥": value >= one.value,
        }[one.sign]  # fmt: skip
        if not met:
            return False
    return True


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_predicates_match_one_synthetic_record_and_are_counted_in_the_pool(columns):
    tables = audited(n=160)
    view, chance = ThreatView.of(tables), np.random.default_rng(0)
    made = univariate(view, chance) if columns == 1 else multivariate(view, columns, 40, chance)
    assert len(made) == len(set(made)) > 20
    only = only_matches(made, view)
    for predicate, row in zip(made, only, strict=True):
        assert len(predicate) == columns
        assert sum(holds(predicate, view, s, True) for s in range(view.synthetic_size)) == 1
        inside = [r for r in range(view.pool_size) if holds(predicate, view, r, False)]
        assert inside == matches(predicate, view.columns).tolist()
        assert (inside == [row]) == (row >= 0)
    member = tables.member
    counts = [matches(predicate, view.columns) for predicate in made]
    expected = tuple(
        sum(int(side[rows].sum()) == 1 for rows in counts) for side in (member, ~member)
    )
    assert single_matches(made, view, member) == expected


def test_a_predicate_of_one_unit_singles_it_out():
    values = np.array([5.0, 5.0, 7.0, 7.0])
    column = Values("x", "numeric", values, np.array([5.0, 7.0, 9.0]))
    view = ThreatView((column,), np.array([0, 0, 1, 2]))
    five, seven, nine = ((Condition(0, "=", x),) for x in (5.0, 7.0, 9.0))
    least = (Condition(0, "≤", 6.0),)
    assert only_matches([five, seven, nine, least], view).tolist() == [0, -1, -1, 0]


def test_predicates_as_text():
    columns = (
        Values("age", "numeric", np.zeros(1), np.zeros(1)),
        Values("job", "category", np.zeros(1), np.zeros(1), JOBS),
    )
    predicate = (Condition(0, "≥", 84.0), Condition(1, "=", 3.0))
    assert text_of(predicate, columns) == "age ≥ 84 and job = nurse"
    assert text_of((Condition(0, "missing", 0.0),), columns) == "age is missing"


# -- attacks ---------------------------------------------------------------------------------------


def test_no_attack_is_given_memberships():
    for attack in THREATS.values():
        assert list(inspect.signature(attack.run).parameters) == ["self", "view", "chance"]
    names = {field for field in ThreatView.__dataclass_fields__}
    assert names == {"columns", "unit"}


@pytest.mark.parametrize("attack", default_attacks("job"), ids=str)
def test_exchanged_memberships_exchange_the_counts(leaking, attack):
    made = successes_of(ThreatView.of(leaking), leaking.chance, [attack])
    other = replace(leaking, member=~leaking.member)
    for one, swapped in zip(
        threats_of(made, leaking, split="coin", delta=0.0),
        threats_of(made, other, split="coin", delta=0.0),
        strict=True,
    ):
        assert (one.hits, one.members) == (swapped.held_out_hits, swapped.held_out)
        assert (one.held_out_hits, one.held_out) == (swapped.hits, swapped.members)
        assert np.array_equal(one.row, swapped.row)


def test_copies_and_links_are_found_and_named(leaking):
    copies, links = found(leaking, Copies()), found(leaking, Linkability())
    for one in (copies, links):
        assert one.p_value < 1e-6
        assert one.epsilon.value > 0.5
        assert one.leaks
        assert one.difference_limits[0] > 0
    rows = copies.to_frame()
    assert len(rows) == copies.hits + copies.held_out_hits
    inside = rows[rows["table"] == "training"]
    train, _ = wb.synthetic.split_by_coin(table(1200, 0), seed=0)
    copied = train.reset_index(drop=True).index.isin(inside["row"])
    assert copied.sum() == copies.hits
    some = train.sample(120, random_state=0)
    assert np.mean(train.index.isin(some.index)[copied]) > 0.9


def test_exact_copies_are_equal_in_all_columns():
    first = table(300, 3)
    split = wb.synthetic.split_by_coin(first, seed=3)
    made = pd.concat([split.train.iloc[[4, 9, 9]], table(100, 8)], ignore_index=True)
    one = found(read_synthetic_tables(*split, made, seed=1), Copies(exact=True))
    assert (one.hits, one.held_out_hits) == (2, 0)
    assert sorted(one.to_frame()["row"]) == [4, 9]
    assert sorted(one.synthetic_row) == [0, 1]


def test_nothing_is_found_in_an_independent_table():
    tables = audited(n=800)
    made = successes_of(ThreatView.of(tables), tables.chance)
    all_of_it = threats_of(made, tables, split="coin", delta=1e-5)
    assert [one.name for one in all_of_it].count("inference") == 5
    p = np.array([one.p_value for one in all_of_it])
    assert p.min() * p.size > 0.05
    assert all(one.epsilon.value < 0.3 for one in all_of_it)


def test_each_column_is_inferred_at_its_share_of_the_error():
    tables = audited(n=400)
    made = successes_of(ThreatView.of(tables), tables.chance, [Inference()])
    several = threats_of(made, tables, split="coin", delta=1e-5, confidence=0.9)
    assert [one.label for one in several] == [f"inference of {c.name}" for c in tables.used]
    assert {round(one.confidence, 12) for one in several} == {0.98}
    alone = found(tables, Inference("job"), confidence=0.9)
    assert alone.confidence == pytest.approx(0.9)
    same = next(one for one in several if one.label == alone.label)
    assert (same.hits, same.held_out_hits) == (alone.hits, alone.held_out_hits)
    fewer = found(tables, Inference("job", known=("age",)))
    assert fewer.columns == ("age", "job")


def test_a_guess_is_right_within_a_share_of_it():
    column = Values("x", "numeric", np.zeros(1), np.zeros(1))
    guess = np.array([100.0, 100, -100, -100, 0, np.nan, np.nan])
    truth = np.array([105.0, 105.1, -95, 95, 0, np.nan, 1])
    expected = [True, False, True, False, True, True, False]
    assert right(column, guess, truth, 0.05).tolist() == expected
    dates = Values("d", "date", np.array([0.0, 100.0]), np.array([50.0]))
    assert right(dates, np.array([10.0, 10.0]), np.array([15.0, 16.0]), 0.05).tolist() == [1, 0]
    words = Values("c", "category", np.zeros(1), np.zeros(1), JOBS)
    assert right(words, np.array([1.0, 2.0]), np.array([1.0, 1.0]), 9).tolist() == [True, False]


def test_units_count_once():
    first = table(400, 5)
    first["person"] = np.arange(400) // 4
    split = wb.synthetic.split_by_coin(first, unit="person", seed=5)
    made = pd.concat([split.train.iloc[:8], table(200, 6)], ignore_index=True)
    tables = read_synthetic_tables(*split, made.drop(columns="person"), unit="person", seed=1)
    exact = found(tables, Copies(exact=True))
    assert exact.members + exact.held_out == 100
    assert (exact.hits, exact.held_out_hits) == (2, 0)
    for attack in default_attacks("job"):
        one = found(tables, attack)
        assert one.members == tables.included.sum()
        assert one.epsilon.canaries == 100


def test_large_tables_are_attacked_in_part_by_chance_alone():
    tables = audited(n=400)
    one = found(tables, Copies(attacks=100))
    assert one.members + one.held_out == 100
    again = found(tables, Copies(attacks=100))
    assert np.array_equal(one.row, again.row)


def test_tables_without_what_an_attack_needs():
    first = table(200, 1)[["job"]]
    split = wb.synthetic.split_by_coin(first, seed=1)
    tables = read_synthetic_tables(*split, table(100, 2)[["job"]], seed=1)
    view = ThreatView.of(tables)
    assert Linkability().run(view, np.random.default_rng(0)) == ()
    assert Inference().run(view, np.random.default_rng(0)) == ()
    made = successes_of(view, 1)
    assert [one.label for one in threats_of(made, tables, split="coin", delta=0)] == [
        "singling out by one column", "exact copies", "exact and near copies",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (lambda: SinglingOut(columns=0), "columns must be"),
        (lambda: Linkability(columns=(("age",), ())), "two groups of names"),
        (lambda: Linkability(columns=(("age",), ("age", "sex"))), "'age' is in both"),
        (lambda: Linkability(neighbors=0), "neighbors must be"),
        (lambda: Inference("age", known=("age",)), "leave it out"),
        (lambda: Inference(known=("age",)), "give secret="),
        (lambda: Inference("age", known=()), "names of columns"),
        (lambda: Copies(within=1.0), "within must"),
        (lambda: Copies(attacks=0), "attacks must be"),
    ],
)
def test_attacks_refuse_what_they_cannot_do(attack, said):
    with pytest.raises(ValueError, match=said):
        attack()


def test_names_of_columns_are_no_groups_of_them():
    with pytest.raises(TypeError, match="each a sequence, each text"):
        Linkability(columns=("age", "sex"))
    assert Linkability([["age"], ["sex"]]) == Linkability((("age",), ("sex",)))


def test_unknown_columns_are_refused_with_those_like_them():
    tables = audited(n=200)
    with pytest.raises(ValueError, match=r"secret names 'jobs'.*did you mean 'job'"):
        found(tables, Inference("jobs"))
    with pytest.raises(ValueError, match="columns names 'hat', which is no column"):
        found(tables, Linkability((("hat",), ("age",))))


# -- results ---------------------------------------------------------------------------------------


def test_a_threat_in_words(leaking):
    said = found(leaking, Copies()).explain()
    assert said.startswith("Exact and near copies: it succeeds on ")
    for part in ("if records are independent", "assumes fair coins only", "ε at δ = 1e-5 ≥",
                 "approximate"):  # fmt: skip
        assert part in said
    given = found(leaking, Copies(), split="given")
    assert given.epsilon is None
    assert not given.leaks
    assert "no bound on a leak follows" in given.explain()
    void = found(leaking, Copies(), void="the split was not random")
    assert void.epsilon.void == "the split was not random"
    assert not void.leaks
    assert "No leak can be shown: the split was not random." in void.explain()


def test_a_threat_as_data(leaking):
    one = found(leaking, SinglingOut())
    made = one.to_dict()
    assert made["threat"] == "singling-out"
    assert made["approximate"]["attacks"] == one.approximate.attacks
    assert made["epsilon"]["value"] == one.epsilon.value
    assert sum(made["column_counts"].values()) == 3 * one.hits
    copied = found(leaking, Copies())
    assert list(copied.column_counts)[-1] == "pay"  # the only one that was changed
    assert set(copied.used[0]) <= {"age", "pay", "seen", "job", "sex"}
    frame = threats_frame([one, found(leaking, Copies(), split="given")])
    assert frame["hits"].tolist()[0] == one.hits
    assert np.isnan(frame["epsilon"][1])


def test_threats_are_shown_together_by_holm():
    counts = {"name": "copies", "columns": (), "members": 100, "held_out": 100, "split": "coin",
              "held_out_hits": 0, "confidence": 0.95, "delta": 0.0}  # fmt: skip
    few, more, most = (Threat(label=str(k), hits=k, **counts) for k in (5, 6, 20))
    assert 0.025 < few.p_value < 0.05
    assert 0.0125 < more.p_value < 0.0167
    assert leaking_of([few, most]) == (most, few)
    assert leaking_of([few, more, most]) == (most, more, few)
    assert leaking_of([few, few, most]) == (most,)
    given = replace(most, split="given")
    assert leaking_of([few, given, replace(most, void="no coins")]) == (few,)


def test_counts_that_contradict_each_other_are_refused():
    right_counts = {"name": "copies", "label": "copies", "columns": (), "hits": 1, "members": 2,
                    "held_out_hits": 0, "held_out": 2, "split": "coin", "confidence": 0.95,
                    "delta": 0.0}  # fmt: skip
    assert Threat(**right_counts).rate == 0.5
    for wrong in ({"hits": 3}, {"held_out_hits": 3}, {"split": "half"}, {"confidence": 0.3}):
        with pytest.raises(ValueError, match="must"):
            Threat(**(right_counts | wrong))


def test_an_audit_has_threats_at_any_confidence():
    split = wb.synthetic.split_by_coin(table(400, 0), seed=0)
    audit = wb.SyntheticAudit(*split, table(200, 1), attacks="distance", seed=4)
    several = audit.threats()
    assert several[0].name == "singling-out"
    wider = audit.threats(confidence=0.99)
    for one, other in zip(several, wider, strict=True):
        assert one.hits == other.hits
        assert other.difference_limits[0] <= one.difference_limits[0]
    assert [one.label for one in audit.threats([Inference("job")])] == ["inference of job"]
    given = wb.SyntheticAudit(*split, table(200, 1), split="given", seed=4)
    assert all(one.epsilon is None for one in given.threats([Copies()]))
