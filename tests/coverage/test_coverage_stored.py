"""The stored results of the coverage lab cover all methods and scenarios; the help tells them."""

import re

import pytest

import workbench as wb
from workbench.assets import board
from workbench.coverage_lab.cases.registry import CASES
from workbench.coverage_lab.exact.settings import settings
from workbench.coverage_lab.lab import SIGNIFICANCE
from workbench.coverage_lab.measured import measured
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.scenarios import SCENARIOS

RECORDS = measured().records
EXACT, OF_CASES = measured().exact, measured().cases


def test_every_method_met_every_setting():
    """But for those that promise nothing, and the combined splits, which meet those that tell."""
    met = {(r["method"], r["scenario"]) for r in RECORDS}
    for name, method in METHODS.items():
        if method.group == "kept" and name != "held-out-splits":
            assert {(name, scenario) for scenario in SCENARIOS} <= met
    assert {r["method"] for r in RECORDS} == set(METHODS)
    assert all(r["reps"] >= 1000 for r in RECORDS)


def test_nothing_that_claims_to_hold_was_caught():
    caught = [r for r in RECORDS if r["claims"] and r["p_value"] < SIGNIFICANCE]
    assert not caught


def test_the_help_of_one_run_and_of_tables_quotes_levels():
    table, bits = (measured().sentence(m) for m in ("limits for all records", "one run, sharp"))
    assert table.startswith("Summed over all likely data sets")
    assert "kinds of score tables, 1,000 replicates each" in table
    assert re.fullmatch(r"Summed over .* at most [\d.]+% at 95% confidence\.", bits)


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if m.group == "fails"])
def test_what_is_known_to_fail_was_caught(method):
    assert any(r["verdict"] == "fails" for r in RECORDS if r["method"] == method)


def test_row_level_bands_on_clustered_rows_were_caught():
    record = next(
        r for r in RECORDS if (r["method"], r["scenario"]) == ("simultaneous", "clustered-rows")
    )
    assert not record["claims"]
    assert record["verdict"] == "fails"


def test_the_help_of_a_bound_says_how_its_method_fared():
    bound = wb.tradeoff_band(wb.example("gaussian")).mu()
    sentence = measured().sentence(bound.method)
    assert "In simulation (" in sentence
    assert "5% are allowed" in sentence
    assert sentence in board.content(bound)
    assert measured().sentence("no such method") == ""


def test_records_as_a_frame():
    assert measured().to_frame().shape[0] == len(RECORDS)


def test_exact_levels_are_at_most_five_percent_in_every_setting():
    """Levels that were averaged over random numbers have an error."""
    assert all(r["level"] - 3 * r["error"] <= 0.05 for r in EXACT)
    stored = {
        (r["method"], r["question"], r["kind"], r["n_p"], r["n_q"], r["truth"]) for r in EXACT
    }
    asked = {(s.method, s.question, s.kind, s.n_p, s.n_q, s.truth) for s in settings()}
    assert stored == asked


def test_the_largest_level_of_each_method_is_known():
    largest = measured().largest_levels()
    assert set(largest) == {r["method"] for r in EXACT}
    # One that comes near to 5% would not at twice its level: the settings tell.
    assert largest["one-question"]["level"] > 0.04
    assert largest["held-out"]["level"] > 0.04


def test_the_help_quotes_exact_levels():
    sentence = measured().sentence("order-statistic test of one question")
    assert sentence.startswith("Summed over all likely data sets of ")
    largest = 100 * measured().largest_levels()["one-question"]["level"]
    quoted = float(re.search(r"probability of at most ([\d.]+)% at 95% confidence", sentence)[1])
    assert largest <= quoted <= largest + 0.1


def test_every_case_was_measured_and_none_that_claims_was_caught():
    measured_ = {(r["case"], r["method"]) for r in OF_CASES}
    assert {(name, m) for name, case in CASES.items() for m in case.methods} <= measured_
    assert {case for case, _ in measured_} >= {"live audit", "series"}
    assert {r["case"] for r in OF_CASES if r["reps"] < 1000} <= {"composed band"}  # with 500
    claiming = [r for r in OF_CASES if r["claims"]]
    assert not [r for r in claiming if r["p_value"] < SIGNIFICANCE / len(claiming)]
    assert [(r["case"], r["method"]) for r in OF_CASES if not r["claims"]] == [
        ("largest of four guarantees", "largest of four")
    ]
