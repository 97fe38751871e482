"""Scores of canaries: what is returned is checked, and each score is what the literature says."""

import hashlib
import math
import zlib

import numpy as np
import pytest
from scipy.stats import chisquare

import workbench as wb
from workbench.text.canaries import Canaries
from workbench.text.signals import SIGNALS, Scoring

TEXTS = ["Alpha beta", "gamma delta epsilon", "zeta"]


def rows_of(texts):
    """Log-probabilities that follow from the text: one for each word."""
    return [-np.array([1.0 + len(word) + word.count("e") for word in t.split()]) for t in texts]


class Known:
    """As `rows_of`, with what Min-K%++ needs."""

    def __call__(self, texts):
        return rows_of(texts)

    def standardized(self, texts):
        return [row + 3 for row in rows_of(texts)]


def reference(texts):
    return [2 * row for row in rows_of(texts)]


def scores(signal, texts=TEXTS, before=("",) * 3, k=0.5, **more):
    how = Scoring(Known(), signal, k=k, reference=reference, **more)
    return how.scores(list(texts), list(before)).tolist()


# -- what each is ----------------------------------------------------------------------------------


def by_hand(signal, text):
    row = rows_of([text])[0]
    lower, mean = rows_of([text.lower()])[0], row.mean()
    least = np.sort(row)[: max(math.floor(0.5 * row.size), 1)].mean()
    return {
        "likelihood": row.sum(),
        "perplexity": mean,
        "min-k": least,
        "min-k++": least + 3,
        "zlib": mean / len(zlib.compress(text.encode())),
        "lowercase": -mean / lower.mean(),
        "perplexity-ratio": -0.5,
        "reference": -row.sum(),
    }[signal]


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_is_what_the_literature_says(signal):
    assert scores(signal) == pytest.approx([by_hand(signal, text) for text in TEXTS])


@pytest.mark.parametrize("signal", ["likelihood", "perplexity", "min-k", "min-k++"])
def test_what_stands_before_is_given_and_not_scored(signal):
    whole = [f"it is here {text}" for text in TEXTS]
    given = scores(signal, whole, ["it is here "] * 3)
    assert given == pytest.approx(scores(signal))
    assert scores(signal, whole, ["it is here "] * 3, part="text") == pytest.approx(
        [by_hand(signal, text) for text in whole]
    )


def test_a_text_is_scored_as_zlib_sees_its_secret():
    (one,) = scores("zlib", ["it is zeta"], ["it is "])
    assert one == pytest.approx(rows_of(["zeta"])[0].mean() / len(zlib.compress(b"zeta")))


# -- a run of coins, and ranks ---------------------------------------------------------------------


def test_coins_give_a_run_with_the_draw():
    canaries = wb.text.identifiers(60, "md5", design="coin", template="{i} {secret}", seed=1)
    known = set(canaries.training_texts)
    run = wb.text.score(
        lambda texts: [-5.0 - (text not in known) for text in texts], canaries, name="mine"
    )
    assert isinstance(run, wb.OneRun)
    assert (run.included == canaries.included).all()
    assert (run.scores[run.included] > run.scores[~run.included].max()).all()
    assert [run.name, run.design, run.seed] == ["mine", "fair-coins", 1]
    bound = wb.one_run_bound(run.guess(k_in=15, k_out=15), delta=1e-5, method="sharp")
    assert 2 < bound.value < 3


def test_bounds_of_identifiers_that_were_found_say_that_nobody_drew_them():
    quotes = [f"commit {hashlib.sha1(bytes([i])).hexdigest()} by somebody" for i in range(12)]
    drawn = wb.text.identifiers(12, "sha1", values=50, seed=1)
    terms = {
        50: ("if values follow the stated law", "independent uniform values"),
        2: ("if values follow the stated law", "if members were drawn at random"),
    }
    for values, (found_term, drawn_term) in terms.items():
        canaries = wb.text.found_identifiers(quotes, values=values, seed=1)
        drawn = wb.text.identifiers(12, "sha1", values=values, seed=1)
        for made, term, other in (
            (canaries, found_term, drawn_term),
            (drawn, drawn_term, found_term),
        ):
            ranks = wb.text.score(lambda texts: [-1.0] * len(texts), made)
            bounds = [wb.exposure(ranks, delta=0).bound]
            bounds += [wb.exposure(ranks, delta=0, statistic="sum").bound]
            bounds += [wb.judge_guesses(ranks.guesses(), wb.PureDP(1)).bound]
            for bound in bounds:
                assert term in str(bound)
                assert other not in str(bound)


def test_alternatives_give_ranks_and_ties_the_largest():
    canaries = wb.text.identifiers(20, "md5", template="{i} {secret}", values=200, seed=1)
    known = set(canaries.texts)
    learned = wb.text.score(lambda texts: [-1.0 - (t not in known) for t in texts], canaries)
    assert isinstance(learned, wb.Ranks)
    assert learned.ranks.tolist() == [1] * 20
    assert learned.values == 200
    same = wb.text.score(lambda texts: [-1.0] * len(texts), canaries)
    assert same.ranks.tolist() == [200] * 20
    assert wb.exposure(same, delta=1e-5).bound.value == 0


def test_rounding_that_depends_on_the_place_in_a_batch_shows_nothing():
    # A model that knows nothing, whose answers differ in the last digits as batches do.
    canaries = wb.text.identifiers(200, "md5", template="{i} {secret}", values=10, seed=2)

    def rounded(texts):
        return [-1.0 - 1e-9 * i for i in range(len(texts))]

    ranks = wb.text.score(rounded, canaries).ranks
    assert chisquare(np.bincount(ranks, minlength=11)[1:]).pvalue > 1e-3


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_million_values_are_scored_in_batches():
    canaries = wb.text.identifiers(
        2, pattern="[0-9a-f]{8}", values=10**6, template="{i}: {secret}", seed=3
    )
    longest = 0

    def model(texts):
        nonlocal longest
        longest = max(longest, len(texts))
        return [-1.0 if text in canaries.texts else -2.0 for text in texts]

    assert wb.text.score(model, canaries, batch=5000).ranks.tolist() == [1, 1]
    assert longest == 5000


def test_bounds_on_a_model_that_knows_nothing_keep_their_level():
    false = 0
    for seed in range(120):
        canaries = wb.text.identifiers(
            30, pattern="[0-9a-f]{8}", values=4, template="{i} {secret}", seed=seed
        )
        ranks = wb.text.score(lambda texts: [-float(hash_of(t)) for t in texts], canaries)
        false += wb.exposure(ranks, delta=0).bound.value > 0
    assert false <= 12  # P[more than 12 of 120 | 5%] < 1%


def hash_of(text):
    return zlib.crc32(text.encode())


# -- what is no log-probability --------------------------------------------------------------------

COIN = wb.text.identifiers(4, "md5", design="coin", template="it is {secret}", seed=3)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (lambda texts: [-1.0] * 3, "returned 3 answers for 4 texts"),
        (lambda texts: -1.0, "must return a list or an array"),
        (lambda texts: [math.nan] * len(texts), "returned nan for 'it is"),
        (lambda texts: [-math.inf] * len(texts), "smooth probabilities of 0"),
        (lambda texts: [0.5] * len(texts), "returned 0.5 for .*at most 0"),
        (lambda texts: ["a"] * len(texts), "is no number"),
        (lambda texts: [[-1.0, -2.0], *[-1.0] * (len(texts) - 1)], "a number for 3 texts"),
        (lambda texts: [np.full((2, 2), -1.0)] * len(texts), "an array of shape"),
        (lambda texts: np.float64(-1.0), "must return a list or an array"),
    ],
)
def test_what_is_no_log_probability_of_each_text_is_told(model, says):
    with pytest.raises(wb.text.LogProbabilityError, match=says):
        wb.text.score(model, COIN)


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"signal": "perplexity"}, wb.text.LogProbabilityError, "needs the log-probability of"),
        ({"signal": "reference"}, ValueError, "compares two models: give reference="),
        ({"signal": "min-k++"}, wb.text.LogProbabilityError, "needs the mean and spread"),
        ({"signal": "loss"}, ValueError, "signal must be one of 'likelihood'"),
        ({"part": "all"}, ValueError, "part must be one of"),
        ({"k": 0.0}, ValueError, r"k must lie in \(0, 1\]"),
        ({"batch": 0}, ValueError, "batch must be"),
    ],
)
def test_a_score_that_cannot_be_is_told(arguments, kind, says):
    with pytest.raises(kind, match=says):
        wb.text.score(lambda texts: [-1.0] * len(texts), COIN, **arguments)


def test_a_secret_of_which_nothing_is_scored_is_told():
    with pytest.raises(wb.text.CanaryTextError, match="nothing of 'it is"):
        wb.text.score(lambda texts: [np.full(2, -1.0) for _ in texts], COIN, signal="perplexity")


class Short(Known):
    def standardized(self, texts):
        return [row[1:] for row in rows_of(texts)]


class Broken(Known):
    def standardized(self, texts):
        return [row * math.nan for row in rows_of(texts)]


@pytest.mark.parametrize(
    ("model", "says"), [(Short(), "as many numbers for a text"), (Broken(), "not finite")]
)
def test_standardized_answers_of_other_lengths_are_told(model, says):
    with pytest.raises(wb.text.LogProbabilityError, match=says):
        wb.text.score(model, COIN, signal="min-k++")


@pytest.mark.parametrize("bad", [None, "text", 3])
def test_objects_of_another_kind_are_told(bad):
    with pytest.raises(TypeError, match="a function from texts"):
        wb.text.score(bad, COIN)
    with pytest.raises(TypeError, match="canaries must be"):
        wb.text.score(rows_of, bad)


# -- the choice on a share -------------------------------------------------------------------------


class Some:
    """A model whose least likely token tells, and whose sum does not."""

    def __init__(self, canaries):
        self.known = set(canaries.training_texts)

    def __call__(self, texts):
        found = []
        for text in texts:
            noise = np.random.default_rng(hash_of(text)).normal(size=20)
            row = np.minimum(-20 + 6 * noise, -1.0)
            row[0] = -60.0 + 20 * (text in self.known)
            found.append(row)
        return found


@pytest.mark.parametrize("design", ["coin", "alternatives"])
def test_the_signal_that_tells_is_taken_and_measured_on_the_others(design):
    canaries = wb.text.identifiers(
        200, "md5", design=design, values=None if design == "coin" else 20,
        template="{i} {secret}", seed=4,
    )  # fmt: skip
    chosen = wb.text.choose_signal(
        Some(canaries), canaries, ("likelihood", "min-k"), delta=1e-5, part="text", k=0.05
    )
    assert chosen.signal == "min-k"
    assert chosen.learned[1] > chosen.learned[0]
    guessed = chosen.guess()
    assert guessed.canaries == 140
    assert guessed.correct > 0.9 * guessed.guesses
    assert chosen.to_frame()["taken"].tolist() == [False, True]


def test_the_share_that_chooses_does_not_follow_from_the_scores():
    canaries = wb.text.identifiers(100, "md5", design="coin", template="{i} {secret}", seed=4)
    first, second = (
        wb.text.choose_signal(model, canaries, ["likelihood"], delta=1e-5).measured.ids.tolist()
        for model in (rows_of, Some(canaries))
    )
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"share": 0.01}, "the shares of 100 canaries have 1 and 99"),
        ({"signals": ()}, "signals is empty"),
        ({"signals": ["nothing"]}, "signals must be one of"),
        ({"delta": 2}, "delta must"),
    ],
)
def test_a_choice_that_cannot_be_is_told(arguments, says):
    canaries = wb.text.identifiers(100, "md5", design="coin", template="{i} {secret}", seed=4)
    with pytest.raises(ValueError, match=says):
        wb.text.choose_signal(rows_of, canaries, **{"delta": 1e-5} | arguments)


def test_numbers_for_texts_are_enough_for_a_likelihood():
    texts = Canaries(("",) * 9, tuple("abcdefghi"), ("",) * 9, "coin", 1)
    run = wb.text.score(lambda some: np.full(len(some), -2.0), texts)
    assert run.scores.tolist() == [-2.0] * 9
