"""The stored results of the coverage lab cover all methods and scenarios; the help tells them."""

import pytest

import workbench as wb
from workbench.assets import board
from workbench.coverage_lab.lab import SIGNIFICANCE
from workbench.coverage_lab.measured import measured, source_digest
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.scenarios import SCENARIOS

RECORDS = measured().records


def test_every_method_met_every_setting():
    """But for those that promise nothing, and the combined splits, which meet those that tell."""
    met = {(r["method"], r["scenario"]) for r in RECORDS}
    for name, method in METHODS.items():
        if method.group == "kept" and name != "held-out-splits":
            assert {(name, scenario) for scenario in SCENARIOS} <= met
    assert {r["method"] for r in RECORDS} == set(METHODS)
    assert all(r["reps"] == 2000 for r in RECORDS)


def test_nothing_that_claims_to_hold_was_caught():
    caught = [r for r in RECORDS if r["claims"] and r["p_value"] < SIGNIFICANCE]
    assert not caught


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


def test_the_code_is_known_by_a_fingerprint():
    assert len(source_digest()) == len(measured().digest) == 16
    assert measured().to_frame().shape[0] == len(RECORDS)
