"""Canaries of texts: what is drawn follows from the seed, and what is no canary is refused."""

import hashlib
import json
import math

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

import workbench as wb
from workbench.text.canaries import Canaries
from workbench.text.draws import Draws
from workbench.text.laws import IDENTIFIERS, PatternLaw, candidates

WORDS = ["red", "blue", "green", "black", "white", "grey"]


def made(n=40, design="coin", **more):
    return wb.text.identifiers(n, "md5", design=design, seed=1, **more)


# -- draws and laws --------------------------------------------------------------------------------


def test_a_seed_gives_the_same_on_every_version():
    # As numpy 2.3 draws them; NEP 19 promises that bit generators and SeedSequence stay.
    draws = Draws(1, "coins")
    assert draws.coins(10).astype(int).tolist() == [0, 0, 1, 1, 1, 0, 0, 1, 1, 1]
    assert wb.text.identifiers(2, "md5", seed=1).secrets[0] == "071b3f23b1f6581e5132f5b317a24c3c"


def test_coins_are_fair_and_secrets_uniform():
    coins = wb.text.identifiers(4000, "sha1", design="coin", seed=5).included
    assert binomtest(int(coins.sum()), 4000).pvalue > 1e-3
    digits = "".join(wb.text.identifiers(2000, "md5", seed=6).secrets)
    counts = [digits.count(one) for one in "0123456789abcdef"]
    assert chisquare(counts).pvalue > 1e-3


def test_streams_of_one_seed_differ_from_each_other_and_from_those_of_bounds():
    uses = ("secrets", "coins", "alternatives", "share")
    found = [Draws(3, use).below(2**32, (4,)).tolist() for use in uses]
    found.append(Draws(3, "alternatives", 1).below(2**32, (4,)).tolist())
    from workbench.scores.chance import USES, generator

    found += [generator(3, use).integers(0, 2**32, 4).tolist() for use in USES]
    assert len({tuple(one) for one in found}) == len(found)


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_an_identifier_looks_like_its_kind_and_is_found_again(kind):
    canaries = wb.text.identifiers(20, kind, template="id {secret} end", seed=2)
    law = PatternLaw(IDENTIFIERS[kind])
    for one in canaries.secrets:
        assert law.expression.fullmatch(one)
    text = " and ".join(canaries.secrets)
    assert wb.text.found_identifiers(text, kind, seed=1).secrets == canaries.secrets


@pytest.mark.parametrize(
    ("pattern", "size"),
    [("[0-9]{4}", 10**4), ("a[bc]\\{[x-z]", 6), ("[0-9a-f]{32}", 16.0**32), ("[\\]a]x", 2)],
)
def test_a_pattern_has_as_many_texts_as_it_says(pattern, size):
    law = PatternLaw(pattern)
    assert law.size == pytest.approx(size)
    drawn = law.draw(Draws(1, "secrets"), 50)
    assert all(law.expression.fullmatch(f"{one}") for one in drawn)
    if size < 100:
        assert len({law.text(i) for i in range(int(size))}) == size
        assert set(drawn) == {law.text(i) for i in range(int(size))}


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("fixed", "has one text only"),
        ("[z-a]", "the wrong way round"),
        ("[0-9", "is no pattern from character 0"),
        ("[0-9]{20000}", "more than 10,000 characters"),
        ("a{", "is no pattern from character 1"),
    ],
)
def test_what_is_no_pattern_says_where(pattern, says):
    with pytest.raises(wb.text.CanaryTextError, match=says):
        PatternLaw(pattern)


def test_candidates_have_the_secret_at_a_random_place_and_differ_where_they_can():
    law, places = PatternLaw("[0-9]"), []
    for i in range(300):
        place, batches = candidates(law, "7", 10, Draws(4, "alternatives", i), 3)
        some = [one for batch in batches for one in batch]
        assert sorted(some) == list("0123456789")
        assert some[place] == "7"
        places.append(place)
    assert chisquare(np.bincount(places, minlength=10)).pvalue > 1e-3
    place, batches = candidates(PatternLaw("[0-9a-f]{32}"), "x", 1000, Draws(4, "coins"), 64)
    some = [one for batch in batches for one in batch]
    assert len(some) == 1000
    assert some[place] == "x"


# -- what is in, and what is refused ---------------------------------------------------------------


def test_members_are_in_the_training_and_others_are_not():
    canaries = made(template="Invoice {i}: {secret}.")
    assert canaries.training_texts == tuple(np.array(canaries.texts)[canaries.included])
    assert canaries.texts[3] == f"Invoice 3: {canaries.secrets[3]}."
    assert len(canaries) == 40
    frame = canaries.to_frame()
    assert frame["included"].sum() == len(canaries.training_texts)
    every = made(design="alternatives")
    assert every.training_texts == every.texts
    assert every.included is None
    assert "included" not in every.to_frame()
    assert made().seed == 1
    seeds = {wb.text.identifiers(2, seed=None).seed for _ in range(3)}
    assert len(seeds) == 3


def test_sequences_of_words_and_of_a_sampler():
    canaries = wb.text.random_sequences(30, WORDS, length=9, separator="-", seed=1)
    assert all(set(one.split("-")) <= set(WORDS) for one in canaries.secrets)

    def hot(rng):
        return " ".join(rng.choice(WORDS, 12))

    drawn = wb.text.random_sequences(
        20, sampler=hot, design="alternatives", values=50, seed=1, template="Say: {secret}"
    )
    place, batches = drawn.candidates(4, batch=20)
    some = [text for batch in batches for text in batch]
    assert [len(some), some[place]] == [50, drawn.texts[4]]
    assert all(text.startswith("Say: ") for text in some)
    assert "sampler" in drawn.assumption or "drawn by the workbench" in drawn.assumption


def test_new_tokens_are_named_whether_in_or_out():
    canaries = wb.text.new_tokens(20, "Note {i} {secret}", seed=1)
    assert canaries.new_tokens == tuple(f"<|canary-{i}|>" for i in range(20))
    assert made().new_tokens == ()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.text.new_tokens(5, token="<x>"), "all canaries have one secret"),
        (lambda: wb.text.new_tokens(5, "no place"), "has 0 places for the secret"),
        (lambda: wb.text.new_tokens(5, ["{secret}"]), "1 templates for 5 canaries"),
        (lambda: wb.text.random_sequences(5), "one of the two"),
        (lambda: wb.text.random_sequences(5, ["a", "a"]), "1 of them different"),
        (lambda: wb.text.random_sequences(9, ["a", "b"], length=2), "only 4 different secrets"),
        (lambda: made(values=5), "is of design='alternatives'"),
        (
            lambda: wb.text.identifiers(5, pattern="[0-9]", values=11, template="{i} {secret}"),
            "values=11, and the law",
        ),
        (
            lambda: wb.text.identifiers(50, pattern="[0-9]{4}"),
            "may have one secret by chance",
        ),
        (lambda: Canaries(("", ""), ("a", "a"), ("", ""), "coin", 1), "have one secret, 'a'"),
        (lambda: Canaries(("", ""), ("a", " "), ("", ""), "coin", 1), "canary 1 is empty"),
        (lambda: Canaries(("",), ("a", "b"), ("", ""), "coin", 1), "1 texts before, 2 secrets"),
        (lambda: Canaries(("",), ("a",), ("",), "coin", 1), "1 canaries show nothing"),
        (
            lambda: Canaries(("", ""), ("a", "b"), ("", ""), "alternatives", 1, 3),
            "needs the law of the secrets",
        ),
        (lambda: wb.text.found_identifiers("nothing here"), "0 identifiers like"),
    ],
)
def test_what_is_no_canary_is_refused_with_a_remedy(call, says):
    with pytest.raises(wb.text.CanaryTextError, match=says):
        call()


def test_small_laws_are_good_where_each_text_is_another():
    canaries = wb.text.identifiers(50, pattern="[0-9]", template="Vote {i}: {secret}", seed=1)
    assert canaries.values == 10
    assert len(set(canaries.secrets)) < 50


@pytest.mark.parametrize("bad", [1.5, -1, "many", 10**7])
def test_a_count_is_a_count(bad):
    with pytest.raises((ValueError, TypeError)):
        wb.text.new_tokens(bad)


# -- identifiers that were there -------------------------------------------------------------------


def test_identifiers_of_a_text_once_each_with_what_is_before():
    hashes = [hashlib.sha1(bytes([i])).hexdigest() for i in range(12)]
    text = "".join(f"commit {one} by somebody\n" for one in [*hashes, hashes[0]])
    canaries = wb.text.found_identifiers(text, context=7, values=50, seed=3)
    assert canaries.secrets == tuple(hashes[1:])  # the first is twice there
    assert set(canaries.before) == {"commit "}
    assert canaries.found
    assert canaries.assumption == (
        "if the identifiers follow the uniform law on [0-9a-f]{40} independently of all other data"
    )
    assert wb.text.found_identifiers([text], most=5, seed=3).secrets == canaries.secrets[:5]
    assert "0" * 64 not in PatternLaw("[0-9a-f]{40}").expression.findall("0" * 64)


# -- evidence --------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", ["coin", "alternatives"])
def test_a_file_gives_the_same_canaries(tmp_path, design):
    canaries = made(design=design, template="key {secret} of {i}")
    canaries.save(tmp_path / "canaries.json")
    again = Canaries.load(tmp_path / "canaries.json")
    assert again.texts == canaries.texts
    assert again.digest == canaries.digest
    assert [again.seed, again.design, again.values] == [1, design, canaries.values]
    if design == "coin":
        assert (again.included == canaries.included).all()
    else:
        assert [*again.candidates(3)[1]] == [*canaries.candidates(3)[1]]
    kept = json.loads((tmp_path / "canaries.json").read_text(encoding="utf-8"))
    assert kept["workbench"] == wb.__version__


def test_a_sampler_is_given_again(tmp_path):
    def hot(rng):
        return " ".join(rng.choice(WORDS, 12))

    canaries = wb.text.random_sequences(20, sampler=hot, seed=1)
    canaries.save(tmp_path / "c.json")
    assert Canaries.load(tmp_path / "c.json", sampler=hot).texts == canaries.texts
    with pytest.raises(TypeError, match="the function that drew the secrets"):
        Canaries.load(tmp_path / "c.json")
    with pytest.raises(wb.text.EvidenceError, match=r"secrets in 'c\.json' do not follow"):
        Canaries.load(tmp_path / "c.json", sampler=lambda rng: str(rng.random()))


def rewritten(path, change, signed=True):
    from workbench.text.evidence import _digest

    kept = json.loads(path.read_text(encoding="utf-8"))
    change(kept)
    if signed:
        content = {key: kept[key] for key in kept if key not in ("digest", "workbench")}
        kept["digest"] = _digest(content)
    path.write_text(json.dumps(kept), encoding="utf-8")


def turned(kept):
    kept["included"][0] = not kept["included"][0]


@pytest.mark.parametrize(
    ("change", "signed", "says"),
    [
        (turned, False, "was changed after it was written"),
        (turned, True, "coins in 'c.json' do not follow from its seed"),
        (lambda kept: kept["secrets"].__setitem__(0, "0" * 32), True, "secrets in 'c.json' do not"),
        (lambda kept: kept.update(version=9), True, "version 9 of the form"),
        (lambda kept: kept.update(format="x"), True, "is no file of canaries"),
        (lambda kept: kept.pop("before"), True, "is no file of canaries"),
        (lambda kept: kept["secrets"].__setitem__(0, ""), True, "is empty"),
    ],
)
def test_a_file_that_was_changed_is_no_evidence(tmp_path, change, signed, says):
    path = tmp_path / "c.json"
    made().save(path)
    rewritten(path, change, signed)
    with pytest.raises(wb.text.EvidenceError, match=says):
        Canaries.load(path)


def test_what_is_no_json_is_told(tmp_path):
    (tmp_path / "c.json").write_text("not json")
    with pytest.raises(wb.text.EvidenceError, match="no JSON file of canaries"):
        Canaries.load(tmp_path / "c.json")
    with pytest.raises(wb.text.CanaryTextError, match="have no alternatives"):
        made().candidates(0)


# -- what the model knows, and what the tokenizer does ---------------------------------------------


def words_of(texts, add_special_tokens=True):
    """A tokenizer of words in lower case."""
    return {"input_ids": [[zero(w) for w in one.lower().split()] for one in texts]}


def zero(word):
    return int(hashlib.md5(word.encode()).hexdigest()[:8], 16)


def test_secrets_that_the_texts_have_are_refused():
    canaries = made()
    wb.text.check_unseen(canaries, "nothing of it")
    wb.text.check_unseen(canaries, ["nothing", "of it"])
    with pytest.raises(wb.text.CanaryTextError, match="2 of 40 secrets occur in the texts"):
        wb.text.check_unseen(canaries, (f"x{one}y" for one in canaries.secrets[:2]))


def test_canaries_that_a_tokenizer_makes_one_of_are_refused():
    wb.text.check_tokens(made(), words_of)
    texts = Canaries(("", "", ""), ("Red cat", "red  cat", "blue"), ("",) * 3, "coin", 1)
    with pytest.raises(wb.text.CanaryTextError, match="canaries 0 and 1 have the same 2 tokens"):
        wb.text.check_tokens(texts, words_of)
    cases = wb.text.identifiers(5, pattern="[aA]{8}", template="{i} {secret}", values=200, seed=1)
    with pytest.raises(wb.text.CanaryTextError, match="its alternative"):
        wb.text.check_tokens(cases, words_of)


def test_new_tokens_that_are_several_or_unknown_are_refused():
    canaries = wb.text.new_tokens(4, "{i} {secret}", token="<|a {i}|>", seed=1)
    with pytest.raises(wb.text.CanaryTextError, match=r"is 2 tokens to the tokenizer; call"):
        wb.text.check_tokens(canaries, words_of)

    class Unknown:
        unk_token_id = 0

        def __call__(self, texts, add_special_tokens=True):
            return {"input_ids": [[0] if one[0] == "<" else [zero(one)] for one in texts]}

    with pytest.raises(wb.text.CanaryTextError, match="is unknown to the tokenizer"):
        wb.text.check_tokens(wb.text.new_tokens(4, "{i} {secret}", seed=1), Unknown())


@pytest.mark.parametrize("bad", [lambda texts, **k: None, lambda texts, **k: {"input_ids": [[1]]}])
def test_what_is_no_tokenizer_is_told(bad):
    with pytest.raises(TypeError, match="the tokenizer"):
        wb.text.check_tokens(made(), bad)
    with pytest.raises(TypeError, match="AutoTokenizer"):
        wb.text.check_tokens(made(), "gpt2")


def test_sizes_are_those_of_the_laws():
    assert wb.text.PatternLaw("[01]{2000}").size == math.inf
    assert wb.text.random_sequences(3, WORDS, length=3000, seed=1).law.size == math.inf
