"""Three tables in a real browser: from the page to a verdict in few clicks; one table split."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.board import Board, choose
from helpers.browser import grave_faults

import workbench as wb

#: Clicks from the page to a verdict on three files, at most.
MOST_CLICKS = 6

#: Counts clicks and choices of a person; a menu takes two clicks, to open it and to choose.
COUNT = """
window.clicks = 0
addEventListener("click", event => { if (event.detail) window.clicks += 1 }, true)
addEventListener("change", event => {
  if (event.target.matches("select")) window.clicks += 2
}, true)
"""

DROP = """
(files) => {
  const carried = new DataTransfer()
  for (const [name, text] of files) carried.items.add(new File([text], name))
  const more = {dataTransfer: carried, cancelable: true, bubbles: true}
  document.dispatchEvent(new DragEvent("drop", more))
}
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Paths of a table, and of three files of a generator that copies records."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 95, 300),
            "ward": rng.choice(["A", "B", "C"], 300),
            "weight": rng.normal(75, 15, 300).round(1),
        }
    )
    train, holdout = wb.synthetic.split_by_coin(table, seed=3)
    folder = tmp_path_factory.mktemp("tables")
    named = {"train": train, "holdout": holdout, "synthetic": train, "whole": table}
    for name, frame in named.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


def files(tables):
    return [tables / f"{name}.csv" for name in ("synthetic", "train", "holdout")]


def headline(page, words):
    page.locator(".wb-headline").get_by_text(words).first.wait_for(timeout=60_000)


def test_three_files_come_to_a_verdict_in_few_clicks(visit, served, tables):
    page = visit(served + "synthetic", viewport={"width": 1440, "height": 1400})
    headline(page, "The synthetic table leaks")  # the example
    page.evaluate(COUNT)
    page.locator('[data-control="upload"] label').click(trial=True)
    with page.expect_file_chooser() as chooser:
        page.locator('[data-control="upload"] label').click()
    chooser.value.set_files(files(tables))  # and one click in the dialog of the browser
    headline(page, "Nothing to conclude yet")
    said = page.locator("header .wb-sentence").filter(has_text="guessed from their names")
    said.wait_for()
    assert said.text_content().startswith("Training: train.csv (")
    board = Board(page)
    assert "age: numeric" in board.drawn("columns_chart")["label"]
    choose(board, "Split", "a fair coin per record")
    page.get_by_role("button", name="Audit the tables").first.click()
    headline(page, "The synthetic table leaks")
    assert page.evaluate("window.clicks") + 1 <= MOST_CLICKS
    assert float(board.number("ε, at least")) > 1
    assert grave_faults(page) == []


def test_dropped_files_are_taken_by_the_page(visit, served, tables):
    page = visit(served + "synthetic")
    page.evaluate(DROP, [[path.name, path.read_text()] for path in files(tables)])
    page.locator("header .wb-sentence").filter(has_text="guessed from their names").wait_for()
    assert page.locator("dialog.wb-dialog[open]").count() == 0


def test_one_table_is_split_and_the_files_are_saved(visit, served, tables):
    page = visit(served + "synthetic")
    choose(Board(page), "Tables", "one table, not yet split")
    page.locator('[data-control="whole_upload"] input').set_input_files(tables / "whole.csv")
    headline(page, "Ready to be split")
    saved = {}
    for name in ("training_part", "holdout_part", "split_script"):
        with page.expect_download() as download:
            page.locator(f'[data-control="{name}"] button').click()
        saved[name] = download.value
    assert [one.suggested_filename for one in saved.values()] == [
        "train.csv", "holdout.csv", "split.py",
    ]  # fmt: skip
    rows = [saved[n].path().read_text().splitlines() for n in ("training_part", "holdout_part")]
    whole = (tables / "whole.csv").read_text().splitlines()
    assert sorted(rows[0][1:] + rows[1][1:]) == sorted(whole[1:])
    page.get_by_text("split.py was saved.").wait_for()
