"""Sentences about risks: readable, and never more than the number that they are about."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import workbench as wb
from workbench.risks.attacks import ATTACKS
from workbench.risks.plain_words import (
    BROKEN,
    NOTHING_SHOWN,
    baseline_words,
    frequency,
    plain_words,
)

SCORES = wb.GaussianPair(1).sample(2000, seed=3)
WEAK = wb.GaussianPair(0.0).sample(300, seed=4)
BASELINES = (1e-9, 1 / 1234, 0.01, 0.3, 0.999)
CLAIMS = (
    *(f"approx({epsilon}, {delta})" for epsilon in (0, 1e-9, 2, 50) for delta in (0.0, 1e-9, 0.2)),
    *("gdp(0)", "gdp(3)", "zcdp(0.1)"),
)

SAID = re.compile(r"([\d,]+) in ([\d,]+)")


def value(text: str) -> Fraction:
    """The number that a frequency says."""
    if text in ("always", "never"):
        return Fraction(text == "always")
    right, people = (int(one.replace(",", "")) for one in SAID.fullmatch(text).groups())
    return Fraction(right, people)


def all_risks():
    yield from (wb.risk("gdp(1)", baseline=0.01, attack=attack) for attack in ATTACKS)
    for attack, baseline in product(("membership", "attribute"), BASELINES):
        for claim in CLAIMS:
            yield wb.risk(claim, baseline=baseline, attack=attack)
        for scores in (SCORES, WEAK):
            found = wb.risk(scores, baseline=baseline, attack=attack)
            yield found
            yield replace(found, promise=wb.risk("gdp(0.2)", baseline=baseline).promise)
        counts = wb.Counts(tp=80, fp=10, tn=90, fn=20)
        yield wb.risk(counts, baseline=baseline, attack=attack)
        bound = counts.epsilon(delta=1e-5)
        yield wb.risk(bound, baseline=baseline, attack=attack)
        yield wb.risk("gdp(1)", baseline=baseline, attack=attack, group=12)


@cache
def said_of_all():
    """All risks with their limits and words."""
    return [(risk, risk.success, plain_words(risk)) for risk in all_risks()]


# -- never more than the number -------------------------------------------------------------------

RATES = [
    *np.logspace(-300, -0.001, 400).tolist(),
    *(1 - np.logspace(-15, -0.5, 60)).tolist(),
    *(k / n for n in (2, 3, 7, 10, 100, 1000) for k in range(1, n)),
    *(math.nextafter(x, x + s) for x in (0.1, 0.01, 0.5, 1.0) for s in (-1, 0) if x + s < 1 or s),
    5e-324, math.nextafter(1, 0),
]  # fmt: skip


def test_a_frequency_is_on_the_safe_side_and_close():
    for rate in RATES:
        up, down = value(frequency(rate, "up")), value(frequency(rate, "down"))
        assert down <= Fraction(rate) <= up
        assert up - down <= Fraction(1, 5) * Fraction(rate)


@pytest.mark.parametrize(
    ("rate", "up", "down"),
    [
        (0.0, "never", "never"),
        (1.0, "always", "always"),
        (0.5, "50 in 100", "50 in 100"),
        (0.0739, "1 in 13", "1 in 14"),
        (0.735, "74 in 100", "73 in 100"),
        (0.9951, "996 in 1,000", "99 in 100"),
        (1 - 1e-12, "always", "99 in 100"),
        (1 / 123456, "1 in 123,000", "1 in 124,000"),
        (0.1, "11 in 100", "10 in 100"),  # the float lies above a tenth
    ],
)
def test_frequencies(rate, up, down):
    assert (frequency(rate, "up"), frequency(rate, "down")) == (up, down)


def test_a_baseline_is_said_as_it_is():
    assert baseline_words(0.01) == "1 in 100"
    assert baseline_words(1 / 112) == "1 in 112"
    assert baseline_words(0.3) == "3 in 10"
    for baseline in (*BASELINES, 0.12345, 2 / 3):
        said = value(baseline_words(baseline))
        assert said.numerator / said.denominator == baseline


def limits_said(words: str, before: str) -> list[Fraction]:
    found = re.findall(rf"{before} ([\d,]+ in [\d,]+|always|never)", words)
    return [value(one) for one in found]


def test_no_sentence_promises_or_shows_more_than_its_number():
    seen = set()
    for risk, limits, words in said_of_all():
        for said in limits_said(words, "at most"):
            # a membership attack that was measured alone is said to accuse "at most" the baseline
            if said == value(baseline_words(risk.baseline)) and risk.promise is None:
                continue
            assert said >= Fraction(limits.at_most)
            seen.add("promised")
        for said in limits_said(words, "at least") + limits_said(words, "below"):
            assert said <= Fraction(limits.at_least)
            seen.add("shown")
        if limits.at_most is None:
            assert "can find" not in words
            assert "can do so" not in words
        if limits.at_least is None or limits.at_least <= risk.baseline:
            assert "at least" not in words
    assert seen == {"promised", "shown"}


def test_a_promise_that_excludes_nothing_says_so():
    for attack, said in (("membership", "finding all insiders"), ("attribute", "being right")):
        risk = wb.risk("approx(50, 0.2)", baseline=0.5, attack=attack)
        assert risk.at_most == pytest.approx(1)
        assert said in plain_words(risk)
        assert "at most" not in plain_words(risk)


def test_nothing_shown_is_no_privacy():
    assert plain_words(wb.risk(WEAK, baseline=0.01)) == NOTHING_SHOWN


def test_a_contradiction_is_told_and_none_where_the_tests_do_not_count():
    risk = wb.risk(SCORES, baseline=0.01, claim="gdp(0.1)")
    assert risk.contradicted
    assert plain_words(risk).endswith(BROKEN)
    bound = risk.evidence.bound.voided("the confidence was changed after results were seen")
    void = replace(risk, evidence=replace(risk.evidence, bound=bound))
    assert BROKEN not in plain_words(void)
    assert "at least" not in plain_words(void)
    assert "The tests do not count: the confidence was changed" in plain_words(void)


def test_a_group_is_told():
    words = plain_words(wb.risk("gdp(1)", baseline=0.01, group=3))
    assert words.endswith("This holds for up to 3 records together.")


# -- readable -------------------------------------------------------------------------------------

#: Terms of the field, and signs.
JARGON = (
    "ε|δ|μ|κ|differential|epsilon|delta|quantile|likelihood|posterior|prior|hypothesis|trade-off|"
    "advantage|distribution|mechanism|adversary|false positive|true positive|rate|claim|bound"
)

#: Least Flesch reading ease: 60 is plain English for pupils of 13 to 15 years.
EASE = 60


def syllables(word: str) -> int:
    groups = len(re.findall(r"[aeiouy]+", word.lower()))
    silent = re.search(r"[^aeiouyl]e$|[^aeiouytd]ed$", word.lower()) is not None and groups > 1
    return max(groups - silent, 1)


def flesch(sentence: str) -> float:
    words = re.findall(r"[A-Za-z]+|[\d,]*\d", sentence)
    spoken = sum(1 if word[0].isdigit() else syllables(word) for word in words)
    return 206.835 - 1.015 * len(words) - 84.6 * spoken / len(words)


def sentences() -> set[str]:
    found = set()
    for _, _, words in said_of_all():
        found |= set(re.split(r"(?<=\.) ", words))
    return found


def test_sentences_are_short_and_without_jargon():
    for sentence in sentences():
        assert len(re.findall(r"\S+", sentence)) <= 25, sentence
        assert re.search(rf"\b({JARGON})\b|[ε-ω]", sentence) is None, sentence
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_sentences_are_easy_to_read():
    assert flesch("The cat sat on the mat.") > 100
    assert flesch("Differential privacy quantifies indistinguishability of neighboring data.") < 0
    hard = {sentence: flesch(sentence) for sentence in sentences() if flesch(sentence) < EASE}
    assert hard == {}
