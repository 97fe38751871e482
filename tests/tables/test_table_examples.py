"""The bundled table: it agrees with its card, and comes out the same when made again."""

from __future__ import annotations

import importlib.util
import sys
import tomllib

import numpy as np
import pytest

import workbench as wb
from workbench.scores.examples import data_folder
from workbench.tables.examples import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_a_table_agrees_with_its_card(name):
    table = wb.example_table(name)
    card = tomllib.loads((data_folder() / f"{name}.toml").read_text(encoding="utf-8"))
    assert (table.n_models, table.n_records) == (card["n_models"], card["n_records"])
    assert table.sampling == card["sampling"]
    assert table.larger_is_member == card["larger_is_member"]
    assert table.notes == (card["made"],)
    assert len(card["look"]) > 40
    assert (data_folder() / card["file"]).stat().st_size <= 600_000
    assert wb.example_table(name) is table


def test_digits_are_fair_coins_and_leak_where_the_label_is_wrong():
    table = wb.example_table("digits-records")
    assert table.design.has_fair_coins
    attributes = table.attributes
    assert attributes["image"].shape == (400, 8, 8)
    wrong = np.flatnonzero(attributes["label"] != attributes["digit"])
    assert wrong.size == 6
    inside = np.where(table.member, table.scores, np.nan)
    outside = np.where(table.member, np.nan, table.scores)
    apart = np.nanmean(inside, axis=0) - np.nanmean(outside, axis=0)
    effect = apart / np.sqrt((np.nanvar(inside, axis=0) + np.nanvar(outside, axis=0)) / 2)
    assert (effect[wrong] > 2).all()
    assert np.median(effect) < 0.4
    # The models are no toys: they read three of four records that they were not trained on.
    assert (table.scores[~table.member] > 0).mean() == pytest.approx(0.75, abs=0.01)


def test_the_images_are_those_of_scikit_learn():
    from sklearn.datasets import load_digits

    attributes, digits = wb.example_table("digits-records").attributes, load_digits()
    np.testing.assert_array_equal(attributes["image"], digits.images[attributes["row"]])
    np.testing.assert_array_equal(attributes["digit"], digits.target[attributes["row"]])


def test_an_unknown_table():
    with pytest.raises(ValueError, match="name must be one of 'digits-records'"):
        wb.example_table("digits")


@pytest.mark.slow
def test_the_script_gives_the_same_numbers_again(tmp_path):
    script = data_folder() / "make_digits_records.py"
    spec = importlib.util.spec_from_file_location(script.stem, script)
    made = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(made)
    finally:
        sys.dont_write_bytecode = before
    made.main(tmp_path)
    table = wb.example_table("digits-records")
    with np.load(tmp_path / "digits-records.npz") as again:
        np.testing.assert_array_equal(again["member"], table.member)
        np.testing.assert_array_equal(again["label"], table.attributes["label"])
        # The minimizer stops where another release of SciPy may stop a little elsewhere.
        np.testing.assert_allclose(again["scores"], table.scores, atol=0.05)
