"""What names of columns and labels say about membership: for all readers the same."""

import random

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.onerun.read import read_one_run
from workbench.scores.layouts.senses import member_label, members_first, sense_of


def names_in(text):
    return text.split()


MEMBERS = names_in(
    """
    member members is_member isMember IsMember IS_MEMBER is-member ismember membership
    member_flag member_label in is_in in_train inTrain intrain train is_train isTrain istrain
    training in_training_set is_in_training_data included was_included keep kept seen
    trained_on train_mask seen_in_training included_in_train used_for_training
    part_of_training_set member_of_train challenge_bit in_sample record.member _is_train
    """
)

OTHERS = names_in(
    """
    is_test isTest IS_TEST is-test istest test test_set in_test nonmember non_member
    non-member NonMember nonMember is_nonmember isNonMember notMember not_member no_member
    isNotMember val is_val validation eval is_holdout holdout hold_out held_out heldout out
    is_out excluded excluded_from_training left_out unseen unseen_in_training untrained
    not_in_train not_in_the_training_data notintrain non_train never_seen not_used_in_training
    out_of_train out_of_sample test_mask not_kept
    """
)

OPEN = names_in(
    """
    train_or_test is_member_of_test train_test in_out inout train_vs_test label labels y
    target class flag split set group status fold mask valid is_valid member_pred
    predicted_member attack_member member_score train_loss test_label test_labels
    test_accuracy test_passed not_in_test non_test not_excluded not_nonmember
    excluded_from_test member_id n_members shadow_member target_member pretrain is_finetuned
    retrain member_inverse inverse_member former_member by_member member_since in_stock
    out_of_stock in_distribution out_of_distribution inset inval contest latest begin plugin
    within member_0 !member ~is_train -member isn't_member member_is_0 one_if_test
    all_but_train present used outlier train_excluded keep_out last_seen seen_before test_size
    bit world a entrenado mitglied nicht_member not_train_not_test
    """
)


def test_the_table_of_names():
    assert len(MEMBERS) + len(OTHERS) + len(OPEN) >= 60
    assert [name for name in MEMBERS if sense_of(name) is not True] == []
    assert [name for name in OTHERS if sense_of(name) is not False] == []
    assert [name for name in OPEN if sense_of(name) is not None] == []


@pytest.mark.parametrize("name", [*MEMBERS[::4], *OTHERS[::4], *OPEN[::6]])
def test_all_readers_know_the_same_words(name):
    """A one in the column is a member, is none, or is asked for: by files, runs and tables."""
    rng = np.random.default_rng(1)
    ones = rng.random((8, 6)) < 0.5
    scores = np.round(rng.normal(size=ones.shape) + 3.0 * ones, 6)
    models, records = (x.ravel() for x in np.indices(ones.shape))
    long = pd.DataFrame({"model": models, "record": records, "score": scores.ravel()})
    long[name] = ones.ravel().astype(int)
    flat = long[["score", name]]
    inside = {True: ones, False: ~ones, None: None}[sense_of(name)]
    if inside is None:
        for read in (wb.read_scores, read_one_run):
            with pytest.raises(wb.ScoresError):
                read(flat)
        with pytest.raises(wb.ScoresError):
            wb.read_score_table(long)
        return
    assert sorted(wb.read_scores(flat).p) == sorted(scores[inside])
    assert (read_one_run(flat).included == inside.ravel()).all()
    table = wb.read_score_table(long)
    assert (table.member == inside).all()
    wide = pd.DataFrame(scores.T, columns=[f"score_{m}" for m in range(8)])
    wide = wide.assign(**{f"{name}_{m}": ones[m].astype(int) for m in range(8)})
    assert (wb.read_score_table(wide).member == inside).all()


@pytest.mark.parametrize(
    ("labels", "name", "label"),
    [
        (["member", "nonmember"], "x", "member"),
        (["Member", "Non-Member"], "label", "Member"),
        (["in", "out"], "split", "in"),
        (["train", "test"], "split", "train"),
        (["training", "validation"], "set", "training"),
        (["train", "val"], "split", "train"),
        (["seen", "unseen"], "status", "seen"),
        (["included", "excluded"], "group", "included"),
        (["p", "q"], "side", "p"),
        (["h1", "h0"], "hypothesis", "h1"),
        (["member", "control"], "group", "member"),
        (["true", "false"], "member", "true"),
        (["True", "False"], "is_test", "False"),
        (["yes", "no"], "nonmember", "no"),
        (["1", "0"], "excluded", "0"),
        (["1", "-1"], "member", "1"),
        (["1", "-1"], "is_test", "-1"),
        (["1", "-1"], "label", None),
        (["true", "false"], "label", None),
        (["yes", "no"], "answer", None),
        (["1", "2"], "member", None),
        (["1", "5"], "member", None),
        (["1", "0.5"], "member", None),
        (["in", "out"], "nonmember", None),
        (["in", "out"], "is_test", None),
        (["train", "other"], "split", None),
        (["in", "train"], "split", None),
        (["member", "nonmember"], "predicted", None),
        (["member", "nonmember"], "guess", None),
        (["train", "test", "val"], "split", None),
        (["cat", "dog"], "class", None),
    ],
)
def test_the_label_of_members(labels, name, label):
    assert member_label(labels, name) == label
    assert member_label(labels[::-1], name) == label


# -- 500 made-up names ----------------------------------------------------------------------------

_IN = [
    "member",
    "train",
    "training",
    "in train",
    "in training",
    "in training set",
    "included",
    "seen",
    "seen in training",
    "used for training",
    "in the training data",
    "keep",
]
_OUT = [
    "test",
    "nonmember",
    "non member",
    "holdout",
    "held out",
    "validation",
    "val",
    "unseen",
    "excluded",
    "untrained",
    "in test set",
    "excluded from training",
]
_NOT = ["not", "non", "no", "never"]
_TURNS = [
    "inverse",
    "inverted",
    "flipped",
    "anti",
    "un be",
    "all but",
    "except",
    "complement of",
    "opposite of",
    "negated",
    "minus",
    "zero if",
    "if not",
    "or",
    "unless",
    "without",
    "former",
    "ex",
    "fake",
    "supposed",
    "predicted",
    "guessed",
    "shadow",
    "other",
    "non non",
]
_STYLES = ["_".join, "-".join, " ".join, ".".join,
           lambda words: words[0] + "".join(map(str.title, words[1:])),
           lambda words: "".join(map(str.title, words)),
           lambda words: "_".join(words).upper()]  # fmt: skip


def _made_up(rng):
    """A name, whether a one in it means in the data, and None where nobody could know."""
    inside = rng.random() < 0.5
    name = rng.choice(_IN if inside else _OUT)
    truth = inside
    kind = rng.random()
    if kind < 0.25:  # "not in test" says no more than that it is somewhere else
        name, truth = f"{rng.choice(_NOT)} {name}", False if inside else None
    elif kind < 0.5:
        turn = rng.choice(_TURNS)
        name, truth = (f"{turn} {name}" if rng.random() < 0.7 else f"{name} {turn}"), None
    elif kind < 0.65:
        other = rng.choice(_OUT if inside else _IN)
        joins = ["or", "and", "vs"]
        if inside:  # "nonmember of training" and "unseen in training" are in no doubt
            joins += ["of", ""]
        name, truth = f"{name} {rng.choice(joins)} {other}", None
    words = name.split()
    if rng.random() < 0.4:
        words = ["is", *words]
    if rng.random() < 0.2:
        words = [*words, rng.choice(["flag", "indicator"])]
    return rng.choice(_STYLES)(words), truth


def test_no_made_up_name_is_read_in_a_wrong_sense():
    rng = random.Random(28)
    names = dict(_made_up(rng) for _ in range(5000))
    names = dict(list(names.items())[:500])
    assert len(names) == 500
    ones = np.arange(24) % 3 == 0
    scores = np.round(np.random.default_rng(0).normal(size=24), 6)
    wrong, read = [], 0
    for name, truth in names.items():
        frame = pd.DataFrame({"score": scores, name: ones.astype(int)})
        try:
            found = sorted(wb.read_scores(frame).p)
        except wb.ScoresError:
            continue
        read += 1
        if truth is None or found != sorted(scores[ones if truth else ~ones]):
            wrong.append(name)
    assert wrong == []
    known = sum(truth is not None for truth in names.values())
    assert read > 0.7 * known  # a reader that asks always would pass otherwise


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("is_member", "is_test", True), ("non_members", "members", False), ("a", "b", None)],
)
def test_names_of_files(first, second, expected):
    assert members_first(first, second) is expected


def test_files_in_the_order_that_their_names_contradict_are_refused(tmp_path):
    for name in ("members", "nonmembers"):
        np.save(tmp_path / f"{name}.npy", np.arange(5.0))
    paths = tmp_path / "nonmembers.npy", tmp_path / "members.npy"
    with pytest.raises(wb.ScoresError, match="exchange them"):
        wb.read_scores(paths[0], path_q=paths[1])
    assert wb.read_scores(paths[1], path_q=paths[0]).n_p == 5
    assert wb.read_scores(paths[0], path_q=paths[1], p="array", q="array").n_p == 5
