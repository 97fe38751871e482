"""A result says what it guarantees, in every form in which it travels."""

import json
import math
import operator
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from workbench._format import round_safely
from workbench.bounds import citations
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments


@pytest.fixture
def bound():
    return Bound(
        quantity="epsilon",
        value=1.2999,
        guarantee="simultaneous",
        method="order-statistic band",
        assumption="if rows are independent",
        n_p=100,
        n_q=50,
        confidence=0.95,
        at=QuantityArguments(delta=1e-5),
    )


@given(st.floats(1e-12, 1e12))
def test_rounding_never_claims_more(value):
    assert float(round_safely(value, "down")) <= value <= float(round_safely(value, "up"))
    assert float(round_safely(value, "down")) == pytest.approx(value, rel=0.011)


@pytest.mark.parametrize(
    ("value", "to", "text"),
    [
        (1.2999, "down", "1.29"),
        (0.29, "down", "0.290"),
        (1234.5, "down", "1230"),
        (9.999, "up", "10.0"),
        (0, "down", "0"),
        (math.inf, "down", "∞"),
        (1.234e-7, "up", "1.24e-7"),
    ],
)
def test_rounding(value, to, text):
    assert round_safely(value, to) == text


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        round_safely(math.nan, "down")


def test_how_it_reads(bound):
    assert str(bound) == "ε at δ = 1e-5 ≥ 1.29 (simultaneous, 95%, assuming independent rows)"
    assert float(bound) == 1.2999
    html = bound._repr_html_()
    for part in ("≥ 1.29", "simultaneous", "95%", "assuming independent rows"):
        assert part in html
    upper = replace(bound, side="upper")
    assert "≤ 1.30" in str(upper)


def test_an_estimate_promises_nothing(bound):
    estimate = replace(bound, guarantee="estimate", confidence=None)
    assert "≈ 1.30" in str(estimate)
    assert "without a guarantee" in estimate.explain()
    assert estimate.voided("reason") is estimate


def test_a_void_bound_says_why_everywhere(bound):
    void = bound.voided("chosen after looking")
    for text in (str(void), void.explain(), void._repr_html_()):
        assert "not valid" in text
        assert "chosen after looking" in text


def test_a_family_is_always_named(bound):
    gaussian = replace(bound, family="Gaussian", checked="not refuted")
    assert "if the pair is Gaussian" in str(gaussian)
    assert "if the pair is Gaussian" in gaussian.explain()


def test_explain_in_natural_counts(bound):
    at = QuantityArguments(fpr=0.001)
    told = replace(bound, quantity="tpr", value=0.0437, at=at).explain()
    assert told == (
        "With 95% confidence, assuming independent rows, an attacker who wrongly accuses 1 in "
        "1,000 people correctly identifies at least 43 in 1,000 members. A lower bound cannot "
        "show that a mechanism is private."
    )
    nothing = replace(bound, quantity="tpr", value=0.001, at=at).explain()
    assert "better than guessing" in nothing


def test_zero_is_no_evidence_of_privacy(bound):
    assert "does not show privacy" in replace(bound, value=0.0).explain()


def test_it_travels_as_dict_and_row(bound):
    assert Bound.from_dict(json.loads(json.dumps(bound.to_dict()))) == bound
    row = bound.to_frame()
    assert len(row) == 1
    assert row["guarantee"].item() == "simultaneous"


def test_every_method_has_a_citation():
    s = wb.example("no-leak")
    h = wb.histogram(s)
    results = [
        wb.epsilon_lower_bound(s, 1e-5),
        wb.mu_lower_bound(s, guarantee="pointwise", threshold=1),
        *wb.hockey_stick_limits(h, method="canonne"),
        *wb.hockey_stick_limits(h),
        wb.gdp_fit(s),
        wb.gdp_fit(s, "threshold", threshold=1),
        wb.gdp_fit(s, "range", floor=0.01),
    ]
    for result in results:
        assert result.cite().count("@") >= 1
    assert "clopper1934use" in results[1].cite()
    with pytest.raises(ValueError, match="no source is known for 'magic'"):
        citations.bibtex("magic")


@pytest.mark.parametrize(
    ("field", "value"), [("quantity", "luck"), ("guarantee", "sure"), ("side", "left")]
)
def test_unknown_words_are_refused(bound, field, value):
    with pytest.raises(ValueError, match=f"{field} must be one of .*{value}"):
        replace(bound, **{field: value})


def test_gdp_fits():
    s = wb.example("gaussian")
    for fit in (
        wb.gdp_fit(s),
        wb.gdp_fit(s, "threshold", threshold=0.5),
        wb.gdp_fit(s, "range", floor=0.05),
    ):
        assert fit.value == pytest.approx(1, abs=0.06)
        assert (fit.guarantee, fit.family) == ("estimate", "Gaussian")
    band = wb.tradeoff_band(s)
    certified = wb.gdp_fit(band, "range", floor=1e-3)
    assert (certified.guarantee, certified.family) == ("simultaneous", None)
    assert certified.value <= band.mu().value + 1e-12
    pair = wb.GaussianPair(0.7)
    assert wb.gdp_fit(pair).value == pytest.approx(0.7)
    assert wb.gdp_fit(pair, "range", floor=1e-6).value == pytest.approx(0.7)
    assert wb.gdp_fit(pair).assumption == "no samples"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "magic"}, "'tv', 'threshold', 'range', 'likelihood'; got 'magic'"),
        ({"method": "range"}, "needs floor="),
        ({"method": "threshold"}, "needs threshold="),
        ({"method": "tv", "floor": 0.1}, "takes no floor=, got 0.1"),
        ({"method": "range", "floor": 2}, "strictly between 0 and 1"),
    ],
)
def test_gdp_fit_says_what_is_missing(options, says):
    with pytest.raises(ValueError, match=says):
        wb.gdp_fit(wb.example("gaussian"), **options)


def test_a_two_sided_interval_says_both_ends_and_that_it_has_two(bound):
    two = replace(bound, value=1.2849, high=1.569, side="two", guarantee="approximate")
    assert str(two) == (
        "ε at δ = 1e-5 in 1.28 to 1.57 (approximate, 95% two-sided, assuming independent rows)"
    )
    assert "between 1.28 and 1.57" in two.explain()
    assert (two.low, two.high) == (two.value, 1.569)
    assert (bound.low, bound.high) == (None, None)
    with pytest.raises(ValueError, match="two-sided"):
        replace(bound, side="two")
    with pytest.raises(ValueError, match="two-sided"):
        replace(bound, high=2.0)


def test_precision_names_its_prior(bound):
    told = replace(bound, quantity="precision", value=0.5, at=QuantityArguments(prior=0.01))
    assert told.symbol == "precision at prior 0.01"


def test_a_note_is_told(bound):
    told = replace(bound, value=0.0, note="n is too small.")
    assert told.explain().endswith("n is too small.")


def test_the_words_of_a_bound_that_rests_on_a_family_name_no_threshold():
    scores = wb.GaussianPair(1.0).sample(200, seed=0)
    of_family = wb.parametric_bound(scores, "gaussian", delta=1e-5)
    assert (of_family.guarantee, of_family.threshold) == ("pointwise", None)
    assert "Uses no threshold and no bins" in of_family.explain()
    assert "chosen before" not in of_family.explain()
    assert "after seeing the scores" not in of_family.survival
    assert "when δ or the family changes" in of_family.survival


def test_the_words_of_a_bound_at_a_choice_keep_to_that_choice(bound):
    at_threshold = replace(bound, guarantee="pointwise", threshold=0.5)
    family = {"family": "Gaussian", "checked": "cannot be checked"}
    of_guesses = replace(bound, guarantee="pointwise", canaries=10, **family)
    for one in (at_threshold, replace(at_threshold, **family), of_guesses):
        assert "fixed before these data were seen" in one.explain()
        assert "after seeing the scores" in one.survival
    assert replace(bound, guarantee="estimate").survival == ""


# -- the same question again, and what a bound is not ----------------------------------------------


def asked_at(confidence):
    s = wb.GaussianPair(1.0).sample(400, seed=3)
    band = wb.tradeoff_band(s, confidence)
    more = {"confidence": confidence}
    counts = wb.Counts(tp=300, fp=80, n_p=400, n_q=400)
    return [
        counts.epsilon(1e-5, **more),
        counts.tpr(0.1, interval="joint", side="two", **more),
        band.epsilon(1e-5),
        band.mu(),
        band.total_variation(),
        band.delta(0.5),
        band.tpr(0.1),
        wb.epsilon_lower_bound(s, 1e-5, guarantee="pointwise", threshold=1, **more),
        wb.mu_lower_bound(s, guarantee=wb.HeldOut(splits=3), **more),
        wb.epsilon_lower_bound(s, 1e-5, guarantee=wb.Anytime((2, 1)), **more),
        wb.parametric_bound(s, "gaussian", "delta", epsilon=0.5, side="two", **more),
    ]


def test_a_bound_answers_at_another_confidence_as_if_asked_there_first():
    for first, other in zip(asked_at(0.95), asked_at(0.8), strict=True):
        assert first.at_confidence(0.8) == other
        assert first.voided("looked").at_confidence(0.8) == other.voided("looked")


def test_a_bound_without_its_data_says_how_to_get_another_confidence(bound):
    with pytest.raises(ValueError, match=r"repeat the call .* with confidence=0.9"):
        bound.at_confidence(0.9)
    with pytest.raises(ValueError, match="has no confidence"):
        wb.gdp_fit(wb.example("gaussian")).at_confidence(0.9)
    asked = wb.mu_from_counts(tp=9, fp=1, tn=9, fn=1)
    with pytest.raises(ValueError, match=r"did you mean 0\.95"):
        asked.at_confidence(0.05)


def test_the_data_behind_a_bound_neither_travel_nor_count():
    asked = wb.mu_from_counts(tp=9, fp=1, tn=9, fn=1)
    back = pickle.loads(pickle.dumps(asked))
    assert back == asked == replace(asked, recompute=None)
    assert back.recompute is None
    assert "recompute" not in asked.to_dict()


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_bounds_have_no_order(bound, compare):
    with pytest.raises(TypeError, match=r"bound\.value > 1$"):
        compare(bound, 1)
    with pytest.raises(TypeError, match=r"bound\.value > 1\.2999"):
        compare(bound, bound)


def test_what_a_quantity_is_asked_at_reads_as_an_attribute():
    counts = wb.Counts(tp=9, fp=1, tn=9, fn=1)
    assert counts.epsilon(delta=1e-5).delta == 1e-5
    assert counts.delta(epsilon=0.5).epsilon == 0.5
    assert counts.tpr(fpr=0.1).fpr == 0.1
    assert counts.precision(prior=0.2).prior == 0.2
    row = counts.tpr(fpr=0.1).to_frame()
    assert (row["fpr"].item(), row["delta"].item()) == (0.1, None)


# -- references ------------------------------------------------------------------------------------


def test_every_key_of_a_reference_is_explained():
    table = wb.references()
    assert set(citations.KEYS) <= set(table["key"])
    assert table["title"].str.len().min() > 5
    assert not table[["authors", "title", "published"]].stack().str.contains(r"[{}\\$]").any()
    assert table["year"].between(1900, 2030).all()
    nasr = table.set_index("key").loc["NASR23"]
    assert (nasr["authors"], nasr["year"]) == ("Nasr et al.", 2023)


def test_every_source_of_a_method_has_an_entry():
    for method in citations._SOURCES:
        assert citations.bibtex(method).count("year") >= 1


# -- as a number of a text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (".3f", "1.299"),
        (".1f", "1.2"),
        (".0f", "1"),
        (".2e", "1.29e+00"),
        (".2g", "1.2"),
        (".3", "1.29"),
        (".1%", "129.9%"),
        ("8.2f", "    1.29"),
        ("<8.2f", "1.29    "),
        ("08.2f", "00001.29"),
        ("+.2f", "+1.29"),
        ("f", "1.299900"),
        (".30f", f"{1.2999:.30f}"),  # more digits than a float has: the float
        ("", "ε at δ = 1e-5 ≥ 1.29 (simultaneous, 95%, assuming independent rows)"),
    ],
)
def test_a_format_rounds_a_lower_bound_down(bound, spec, text):
    assert format(bound, spec) == text


def test_a_format_rounds_to_the_safe_side(bound):
    assert f"{replace(bound, side='upper'):.2f}" == "1.30"
    assert f"{replace(bound, side='upper', value=1.2901):.2f}" == "1.30"
    assert f"{replace(bound, guarantee='estimate', confidence=None):.2f}" == "1.30"
    assert f"{replace(bound, guarantee='estimate', confidence=None, value=1.2901):.2f}" == "1.29"
    two = replace(bound, side="two", high=1.6401)
    assert f"{two:.2f}" == "1.29 to 1.65"
    assert f"{two:>14.2f}|" == "  1.29 to 1.65|"
    assert f"{replace(bound, value=math.inf):.2f}" == "inf"
    assert f"{replace(bound, value=0.0):.2f}" == "0.00"
    assert f"{replace(bound, value=0.29):.2f}" == "0.29"  # and not 0.28
    assert f"{replace(bound, value=9.999):.2g}" == "9.9"


def test_no_format_claims_more_than_was_shown(bound):
    rng = np.random.default_rng(0)
    for value in 10.0 ** rng.uniform(-12, 12, 500):
        for spec in (".0f", ".3f", ".1e", ".4g", ".6", "f", "e", "g"):
            assert float(format(replace(bound, value=value), spec)) <= value
            upper = replace(bound, value=value, side="upper")
            assert float(format(upper, spec)) >= value


def test_a_format_of_texts_formats_the_sentence(bound):
    assert f"{bound:>80}" == f"{bound!s:>80}"
    assert f"{bound:s}" == str(bound)
    with pytest.raises(ValueError, match="format code 'd'"):
        format(bound, "d")


def test_a_number_that_is_not_valid_is_not_taken_for_one(bound):
    void = bound.voided("the family is refuted")
    assert f"{void:.3f}" == "1.299 (not valid)"
    assert f"{void:*^19.2f}" == "*1.29 (not valid)**"
    with pytest.raises(ValueError, match=r"1\.29 is not valid: the family is refuted; bound.value"):
        float(void)
    assert void.value == 1.2999


def test_other_results_have_formats():
    verdict = wb.judge(wb.example("gaussian"), "gdp(3)")
    assert f"{verdict:>300}" == f"{verdict!s:>300}"
    power = wb.power(wb.GaussianPair(1.0), claim_epsilon=0.5, delta=1e-5, n=100)
    assert f"{power:.1%}" == f"{power.value:.1%}"
    evidence = wb.anytime_e_value(wb.example("gaussian"), epsilon=0.1, delta=1e-5)
    assert float(f"{evidence:.1e}") <= float(evidence)
