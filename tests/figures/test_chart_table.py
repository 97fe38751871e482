"""The data of a chart as csv."""

import csv
import io

import numpy as np
import pytest

from workbench.figures.kit import marks
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.marks import Style
from workbench.figures.paper.table import figure_csv
from workbench.pages.registry import PAGES


def rows(figure):
    return list(csv.reader(io.StringIO(figure_csv(figure))))


def test_a_row_per_point_of_every_named_curve():
    figure = chart(
        [
            marks.line(Style('a, "b"', "p"), [0, 0.1], np.array([1000.0, np.nan])),
            marks.line(Style("", "q"), [5, 6], [7, 8]),
            marks.markers(Style("point", "q"), [1e-5], [None]),
        ],
        axis("ε", 0, 1),
        axis("", 0, 1),
        summary="s",
    )
    assert rows(figure) == [
        ["curve", "ε", "y"],
        ['a, "b"', "0", "1000"],
        ['a, "b"', "0.1", ""],
        ["point", "1e-05", ""],
    ]


def test_a_chart_without_curves_has_no_rows():
    assert rows(empty("Nothing yet.")) == [["curve", "x", "y"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_table_has_all_numbers_of_the_chart(name):
    page = PAGES[name].kind()
    for item in page.figures():
        figure = page.draw(item)
        found = rows(figure)[1:]
        expected = [
            (trace["name"], x, y)
            for trace in figure["data"]
            if trace["name"]
            for x, y in zip(trace["x"], trace["y"], strict=True)
        ]
        assert len(found) == len(expected)
        for (curve, *texts), (given, *values) in zip(found, expected, strict=True):
            assert curve == given
            numbers = [float(text) if text else np.nan for text in texts]
            np.testing.assert_array_equal(numbers, np.asarray(values, dtype=float))
