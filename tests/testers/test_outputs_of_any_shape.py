"""Outputs of any shape: their cells, the encoding that is fitted on some, and whole audits."""

import enum
import fractions
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.testers.learning.encoding import row_keys
from workbench.testers.learning.outputs import OutputsError, check_alike, check_outputs
from workbench.testers.outputs.cells import table_of
from workbench.testers.outputs.table import NAME, NUMBER, TEXT, OutputTable
from workbench.testers.outputs.table_encoding import ABSENT, MOST_COLUMNS, OTHER, fit_encoding
from workbench.testers.property_testers.hockey_stick import HockeyStickTester
from workbench.testers.running.independence import dependence
from workbench.testers.running.source import digest


class Answer(enum.Enum):
    BELOW = 0
    ABOVE = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Found:
    total: float
    by_group: dict


Point = namedtuple("Point", "x y")


def cells(*runs):
    """The cells of each run: path -> (kind, value)."""
    table = table_of(runs)
    found = []
    for i in range(len(table)):
        part = slice(table.starts[i], table.starts[i + 1])
        told = {}
        for path, kind, value in zip(
            table.path[part], table.kind[part], table.value[part], strict=True
        ):
            value = float(value) if kind == NUMBER else table.words[int(value)]
            told[table.paths[path]] = (int(kind), value)
        found.append(told)
    return found


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (3, {"": (NUMBER, 3.0)}),
        (2**70, {"": (NUMBER, float(2**70))}),
        (10**400, {"": (NUMBER, np.inf)}),
        (fractions.Fraction(1, 4), {"": (NUMBER, 0.25)}),
        ("yes", {"": (TEXT, "yes")}),
        (b"yes", {"": (TEXT, "yes")}),
        (None, {"": (NAME, "None")}),
        (True, {"": (NAME, "True")}),
        (np.bool_(False), {"": (NAME, "False")}),
        (Answer.ABOVE, {"": (NAME, "ABOVE")}),
        (Level.HIGH, {"": (NAME, "HIGH")}),
        (np.float32(0.5), {"": (NUMBER, 0.5)}),
        (np.array(0.5), {"": (NUMBER, 0.5)}),
        (1 + 2j, {".real": (NUMBER, 1.0), ".imag": (NUMBER, 2.0)}),
        (pd.Timestamp("2026-01-02"), {"": (NAME, "2026-01-02 00:00:00")}),
        ({}, {"len": (NUMBER, 0.0)}),
        ({"a": 1}, {"['a']": (NUMBER, 1.0), "len": (NUMBER, 1.0)}),
        ({3: 1}, {"[3]": (NUMBER, 1.0), "len": (NUMBER, 1.0)}),
        ({Answer.BELOW: 1}, {"[BELOW]": (NUMBER, 1.0), "len": (NUMBER, 1.0)}),
        ({("a", 1): 1}, {"[('a', 1)]": (NUMBER, 1.0), "len": (NUMBER, 1.0)}),
        (OrderedDict(a="b"), {"['a']": (TEXT, "b"), "len": (NUMBER, 1.0)}),
        ([1, "a"], {"[0]": (NUMBER, 1.0), "[1]": (TEXT, "a"), "len": (NUMBER, 2.0)}),
        (np.array([1, 2]), {"[0]": (NUMBER, 1.0), "[1]": (NUMBER, 2.0), "len": (NUMBER, 2.0)}),
        (iter([1]), {"[0]": (NUMBER, 1.0), "len": (NUMBER, 1.0)}),
        (Point(1, None), {".x": (NUMBER, 1.0), ".y": (NAME, "None")}),
        ({"s", "t"}, {" has 's'": (NAME, "True"), " has 't'": (NAME, "True"), "len": (0, 2.0)}),
        (SimpleNamespace(a=1), {".a": (NUMBER, 1.0)}),
        (pd.Series({"a": 1.5}), {"['a']": (NUMBER, 1.5), "len": (NUMBER, 1.0)}),
        (
            Found(1.5, {"x": 2}),
            {".total": (0, 1.5), ".by_group['x']": (0, 2.0), ".by_group.len": (0, 1.0)},
        ),
        (
            pd.DataFrame({"mean": [1.5]}, index=["Smith"]),
            {"['mean']['Smith']": (NUMBER, 1.5), "len": (NUMBER, 1.0)},
        ),
        (
            pd.DataFrame({"name": ["Smith", "Jones"], "n": [1, 2]}),
            {"['n']['Smith']": (0, 1.0), "['n']['Jones']": (0, 2.0), "len": (0, 2.0)},
        ),
        (
            pd.Series([1, 2], index=["a", "a"]),
            {"['a']": (0, 1.0), "['a']#2": (0, 2.0), "len": (0, 2.0)},
        ),
    ],
)
def test_the_cells_of_an_output(run, expected):
    assert cells(run) == [expected]


def test_nan_and_infinities_are_numbers():
    (found,) = cells([np.nan, np.inf, -np.inf, None])
    assert np.isnan(found["[0]"][1])
    assert [found[f"[{i}]"][1] for i in (1, 2)] == [np.inf, -np.inf]
    assert found["[3]"] == (NAME, "None")


def test_outputs_that_contain_themselves_are_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(OutputsError, match="nested more than 20 deep"):
        check_outputs([endless, 1])


def test_columns_and_records_are_runs_too():
    by_column = check_outputs({"n": [1, 2], "name": ["a", "b"]}, 2)
    by_row = check_outputs(pd.DataFrame({"n": [1, 2], "name": ["a", "b"]}), 2)
    assert len(by_column) == 2
    assert np.array_equal(by_column.row_keys, by_row.row_keys)
    structured = np.array([(1, "a"), (2, "b")], [("n", int), ("name", "U1")])
    assert check_outputs(structured, 2).paths == ("['n']", "['name']")


@pytest.mark.parametrize(
    "x",
    [
        np.arange(4),
        np.array([1.5, np.nan, np.inf, -0.0]),
        np.array([True, False] * 2),
        np.array(["a", "b", "", "a"]),
        np.arange(8.0).reshape(4, 2).astype(np.float32),
        np.array([["a", "b"]] * 4),
        np.array([b"a", b"b"] * 2),
    ],
)
def test_plain_arrays_are_not_touched(x):
    checked = check_outputs(x, 4)
    assert checked is x
    encoding = fit_encoding(x, x)
    assert encoding(x) is x
    # The same values as cells give the same array, whatever stands beside them in a call.
    table = OutputTable.joined([OutputTable.of_array(x), table_of([{"other": 1}])])
    again = encoding(table)[:4]
    assert again.shape == x.shape
    wanted = np.char.decode(x) if x.dtype.kind == "S" else x
    assert (
        np.array_equal(again, wanted)
        if x.dtype.kind in "US"
        else np.array_equal(again, x.astype(float), equal_nan=True)
    )
    # And a list of them has these cells.
    assert np.array_equal(table_of(list(x)).row_keys, OutputTable.of_array(x).row_keys)


def runs_of_many_kinds(size, seed=0):
    rng = np.random.default_rng(seed)
    kinds = [
        lambda: float(rng.normal()),
        lambda: None,
        lambda: Answer(int(rng.integers(2))),
        lambda: "abcd"[: 1 + rng.integers(4)],
        lambda: {k: float(rng.normal()) for k in "abc" if rng.random() < 0.5},
        lambda: [float(rng.normal())] * int(rng.integers(4)),
        lambda: (True, np.nan, np.inf),
        lambda: {"deep": {"er": [1, "x"]}},
    ]
    return [kinds[rng.integers(len(kinds))]() for _ in range(size)]


def test_a_table_is_the_same_in_parts_and_after_a_journey():
    runs = runs_of_many_kinds(200)
    table = table_of(runs)
    order = np.random.default_rng(1).permutation(200)
    assert np.array_equal(table[order].row_keys, table.row_keys[order])
    assert np.array_equal(table_of([runs[i] for i in order]).row_keys, table.row_keys[order])
    joined = OutputTable.joined([table_of(runs[:70]), table_of(runs[70:])])
    assert np.array_equal(joined.row_keys, table.row_keys)
    sent = OutputTable.received(table.message())
    assert digest([sent]) == digest([table])
    assert digest([table_of(runs[:-1])]) != digest([table])
    assert np.unique(table.row_keys).size == len({repr(run or (run is None) or []) for run in runs})


def test_words_are_no_names_and_no_numbers():
    runs = [None, "None", 1, "1", True, "True", [1], [True], {"len": 1}, []]
    assert np.unique(table_of(runs).row_keys).size == len(runs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"path": np.array([0, 9], np.int32)},
        {"path": np.array([0, -1], np.int32)},
        {"kind": np.array([0, 7], np.uint8)},
        {"kind": np.array([1, 0], np.uint8)},
        {"starts": np.array([0, 2, 1], np.int64)},
        {"starts": np.array([0, 5], np.int64)},
        {"starts": np.empty(0, np.int64)},
        {"starts": np.array([0, 2], np.int32)},
        {"value": [1.0, 2.0]},
        {"value": np.array([1.0])},
        {"path": np.array([0, 0], np.int32)},
        {"paths": None},
        {"paths": {"bytes": b"ab", "sizes": np.array([1, 5], np.int64)}},
        {"paths": {"bytes": b"\xff\xfe", "sizes": np.array([1, 1], np.int64)}},
        {"words": {"bytes": b"", "sizes": np.array([-1, 1], np.int64)}},
    ],
)
def test_a_message_that_is_no_table_is_refused(wrong):
    message = table_of([{"a": 1.0}]).message()
    OutputTable.received(message)
    with pytest.raises(ValueError, match="no table of outputs"):
        OutputTable.received({**message, **wrong})


# -- the encoding ---------------------------------------------------------------------------------


def test_the_encoding_is_a_fixed_function_of_each_output():
    # Fresh outputs are encoded one by one as they are together: post-processing.
    runs = runs_of_many_kinds(400)
    fit = table_of(runs[:60]), table_of(runs[60:100])
    encoding = fit_encoding(*fit)
    fresh = runs[100:]
    together = encoding(table_of(fresh))
    for i in range(0, 300, 7):
        alone = encoding(table_of([fresh[i]]))
        assert np.array_equal(alone[0], together[i], equal_nan=True)
    # And nothing that is measured has a part in it.
    again = fit_encoding(*fit)
    assert np.array_equal(again(table_of(fresh)), together, equal_nan=True)


def test_one_word_is_one_string():
    answers = [Answer.ABOVE, Answer.BELOW] * 10
    encoding = fit_encoding(check_outputs(answers), check_outputs(answers))
    assert encoding(check_outputs(answers)).tolist() == ["ABOVE", "BELOW"] * 10
    assert encoding(check_outputs(["x", None, {"a": 1}])).tolist() == [OTHER, OTHER, ABSENT]


def test_a_name_and_a_text_that_read_alike_are_two_values():
    x = check_outputs([None, "None", ABSENT] * 5)
    assert fit_encoding(x, x)(x).tolist()[:3] == ["None", "'None'", "'absent'"]


def test_keys_are_columns():
    runs = [{"a": 1.5, "b": 2.0}, {"a": 0.5}, {"b": np.nan}] * 5
    x = check_outputs(runs)
    encoding = fit_encoding(x, x)
    told = [(c.path, c.holds) for c in encoding.columns]
    assert told == [
        ("['a']", "appears"),
        ("['a']", "number"),
        ("['b']", "appears"),
        ("['b']", "number"),
        ("len", "number"),
    ]
    nan = np.nan
    expected = [[1, 1.5, 1, 2, 2], [1, 0.5, 0, nan, 1], [0, nan, 1, nan, 1]]
    assert np.array_equal(encoding(x)[:3], expected, equal_nan=True)
    # A key that the fitting part does not show has no column.
    fresh = encoding(check_outputs([{"a": 1.5, "new": 9}]))
    assert np.array_equal(fresh, [[1, 1.5, 0, nan, 2]], equal_nan=True)


def test_rare_keys_are_counted_together():
    runs = [{"a": 1, f"only here {i}": 1} if i < 4 else {"a": i} for i in range(40)]
    encoding = fit_encoding(check_outputs(runs[:20]), check_outputs(runs[20:]))
    assert encoding.columns[-1].holds == "other keys"
    fresh = encoding(check_outputs([{"a": 1, "new": 1, "newer": 1}, {"a": 1}]))
    assert fresh[:, -1].tolist() == [2, 0]


def test_of_many_keys_those_with_evidence_have_columns():
    rng = np.random.default_rng(0)
    names = [f"k{i}" for i in range(3 * MOST_COLUMNS)]

    def side(leak):
        for _ in range(100):
            run = {name: 1.0 for name in names if rng.random() < 0.5}
            if rng.random() < leak:
                run["leak"] = 1.0
            yield run

    p, q = check_outputs(list(side(0.9))), check_outputs(list(side(0.1)))
    encoding = fit_encoding(p, q)
    assert len({c.path for c in encoding.columns}) == MOST_COLUMNS + 1
    assert ("['leak']", "appears") in [(c.path, c.holds) for c in encoding.columns]
    assert encoding(p).shape == (100, len(encoding.columns))


def test_numbers_and_words_of_one_place_have_columns_of_their_own():
    runs = [1.5, "a", None, 2.5] * 5
    x = check_outputs(runs)
    encoding = fit_encoding(x, x)
    assert [c.holds for c in encoding.columns] == ["number", "word"]
    encoded = encoding(x)
    assert encoded[0].tolist() == [1.5, 0]
    assert np.isnan(encoded[1:3, 0]).all()
    assert encoding.word(1, encoded[1, 1]) == "a"
    assert encoding.word(1, encoded[2, 1]) == "None"
    assert encoding.word(1, encoding(check_outputs(["new", None]))[0, 1]) == OTHER


def test_constant_outputs_are_one_number():
    x = check_outputs([{"a": 1, "b": None}] * 9)
    assert fit_encoding(x, x)(x).tolist() == [0.0] * 9


def test_a_side_of_numbers_and_one_of_words_are_compared():
    p, q = np.zeros(50), check_outputs([0.0, None] * 25)
    check_alike(p, q)
    encoding = fit_encoding(p, q)
    assert encoding(p).shape == encoding(q).shape == (50, 2)
    assert not wb.find_violation(p, np.zeros(50), "pure(1)").violation
    assert wb.find_violation(np.zeros(900), [0.0, None] * 450, "pure(0.1)").violation


# -- repetitions ----------------------------------------------------------------------------------


def test_repeated_tables_are_found():
    rng = np.random.default_rng(0)
    same = table_of([{"a": x} for x in rng.normal(size=100)])
    other = [table_of([{"a": x} for x in rng.normal(size=100)]) for _ in range(3)]
    assert dependence(other[:2], other[2:]) is None
    assert "ignores its rng" in dependence([same, same], other)
    assert "ignores its rng" in dependence([same, other[0]], [same, other[1]])
    tiled = table_of([{"a": x} for x in np.resize(rng.normal(size=30), 300)])
    assert "repeat" in dependence([tiled], other)
    assert np.array_equal(row_keys(same), same.row_keys)


# -- whole audits ---------------------------------------------------------------------------------

PAIR = (np.array([1.0, 1.0]), np.array([1.0]))


def answers(dataset, size, rng, epsilon=1.0):
    """Randomized response with Enums: leaks all that pure(1) allows."""
    truth = (rng.random(size) < np.exp(epsilon) / (1 + np.exp(epsilon))) == (len(dataset) > 1)
    return [Answer.ABOVE if each else Answer.BELOW for each in truth]


def groups(dataset, size, rng, threshold=0.0, delta=0.05):
    """Noisy counts of groups as dictionaries; the group of the last record is published if large.

    Its count has truncated Laplace noise: it is 1 + noise for noise in ±width, so that the key
    appears with probability ``delta`` if the threshold is set for it, and always if it is 0.
    """
    found = []
    rare = len(dataset) > 1
    others = rng.laplace(100.0, 1.0, (size, 2))
    appears = rng.random(size) < (1.0 if threshold == 0 else delta)
    for (a, b), there in zip(others, appears, strict=True):
        run = {"A": round(a * 2**20) / 2**20, "B": round(b * 2**20) / 2**20}
        if rare and there:
            run["Smith"] = 1.0
        found.append(run)
    return found


def many(dataset, size, rng):
    """Leaks by a word, a number and a length."""
    rare = len(dataset) > 1
    n = 1 + (rng.random(size) < (0.9 if rare else 0.3))
    return [[Answer.ABOVE, None, 1.5][: int(k)] for k in n]


def frames(dataset, size, rng):
    """A table for each run, with a row that appears only with the record."""
    rare = len(dataset) > 1
    names = ["A", "Smith"] if rare else ["A"]
    return [pd.DataFrame({"name": names, "n": rng.laplace(5, 1, len(names))}) for _ in range(size)]


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (lambda d, size, rng: answers(d, size, rng, 3.0), "the output is ABOVE"),
        (groups, "key 'Smith' appears"),
        (many, "output[1] is None"),
        (frames, "output['n']['Smith'] appears"),
        (
            lambda d, size, rng: [{"mean": x} for x in rng.normal(3.0 * len(d), 0.1, size)],
            "output['mean'] is above ",
        ),
        (
            lambda d, size, rng: ["yes" if x else 2.5 for x in rng.random(size) < len(d) / 2],
            "the output is yes",
        ),
    ],
)
def test_a_leak_is_found_and_told_in_the_users_terms(mechanism, said):
    settings = {"datasets": PAIR, "trials": 1, "samples": 300, "testers": "hockey-stick"}
    here = wb.audit_mechanism(mechanism, "pure(1)", **settings)
    assert here.verdict == "violation found"
    assert here.best.finding.event.startswith(said)
    assert said in here.explain()
    # The outputs cross the pipe of another process, and the result is the same.
    there = wb.audit_mechanism(mechanism, "pure(1)", time_limit=60.0, **settings)
    assert there.trials[0].digest == here.trials[0].digest
    assert replace(there.trials[0], seconds=0) is not None
    assert there.best.finding.bound == here.best.finding.bound
    assert there.best.finding.event == here.best.finding.event
    again = here.replay(mechanism, samples=300, seed=3)
    assert again.violation
    assert not again.fitted_anew
    assert again.finding.event.startswith(said)
    back = wb.MechanismAudit.from_dict(here.to_dict())
    assert back.best.finding.event == here.best.finding.event


@pytest.mark.parametrize("tester", ["hockey-stick", "renyi", "mmd", "histogram"])
def test_every_tester_takes_them(tester):
    rng = np.random.default_rng(0)
    p, q = (answers(d, 4000, rng, 3.0) for d in PAIR)
    found = wb.find_violation(p, q, "pure(1)", tester)
    assert found.violation
    assert (found.event is None) == (tester in ("renyi", "mmd"))


def test_an_audit_of_something_private_says_none():
    for mechanism in (answers, groups_with_threshold):
        none = wb.audit_mechanism(
            mechanism, "approx(1, 0.05)", datasets=PAIR, trials=1, samples=4000
        )
        assert none.verdict == "none found"


def groups_with_threshold(dataset, size, rng):
    """(0, 0.05)-DP on `PAIR`: the key appears with a probability of exactly δ."""
    return groups(dataset, size, rng, threshold=1.0)


def test_pictures_have_the_names():
    audit = wb.audit_mechanism(
        lambda d, size, rng: [{"A": 1} | ({"Smith": 1} if len(d) > 1 else {}) for _ in range(size)],
        "pure(1)", datasets=PAIR, trials=1, samples=500, testers="hockey-stick",
    )  # fmt: skip
    assert audit.best.trial.pictures["hockey-stick"].labels == ("'Smith'", "len 1")
    audit = wb.audit_mechanism(answers, "pure(0.1)", datasets=PAIR, trials=1, samples=500)
    (picture,) = audit.best.trial.pictures.values()
    assert sorted(picture.labels) == ["ABOVE", "BELOW"]


# -- the level ------------------------------------------------------------------------------------


def exact_level(confidence, n=30):
    """P(a claim of ε = 1 is refuted by n answers a side), summed over all counts.

    Through the encoding: the witness is fitted on Enums, and measures encoded Enums.
    """
    rng = np.random.default_rng(0)
    fit = [check_outputs(answers(d, 400, rng)) for d in PAIR]
    encoding = fit_encoding(*fit)
    claim = wb.PureDP(1.0)
    encoded = [encoding(x) for x in fit]
    witness = HockeyStickTester().fit(*encoded, claim, rng)
    rows = encoding(check_outputs([Answer.ABOVE, Answer.BELOW]))
    rate = np.e / (1 + np.e)
    ours, theirs = (binom.pmf(np.arange(n + 1), n, x) for x in (rate, 1 - rate))
    level = 0.0
    for i in range(n + 1):
        for j in range(n + 1):
            chance = ours[i] * theirs[j]
            # What no region refutes: an estimate within the claim.
            inside = i <= np.e * j and n - j <= np.e * (n - i)
            if chance > 1e-6 and not inside:
                p, q = (np.repeat(rows, [k, n - k]) for k in (i, j))
                level += chance * witness.measure(p, q, confidence).violation
    return level


def test_the_level_of_encoded_answers_is_exactly_what_is_stated():
    # 4.3% of the 5%: a level that were halved or doubled would not fit.
    assert 0.025 < exact_level(0.95) <= 0.05
    assert exact_level(0.975) < 0.025
    assert exact_level(0.90) > 0.05


def often(mechanism, claim, audits, **settings):
    """How often a mechanism is accused."""
    return sum(
        wb.audit_mechanism(
            mechanism, claim, datasets=PAIR, trials=1, seed=k, testers="hockey-stick", **settings
        ).violation
        for k in range(audits)
    )


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("mechanism", "claim"), [(answers, "pure(1)"), (groups_with_threshold, "approx(0, 0.05)")]
)
def test_mechanisms_at_exactly_their_claim_are_accused_as_seldom_as_is_said(mechanism, claim):
    accused = often(mechanism, claim, 1000, samples=250)
    assert accused <= 50
    assert accused > 0 or mechanism is groups_with_threshold


@pytest.mark.statistical
def test_the_broken_twin_is_found():
    assert often(groups, "approx(0, 0.05)", 20, samples=250) == 20
