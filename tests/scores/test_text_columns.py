"""Texts are parsed in parts as in one piece, and rare faults are not sought in every file."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from workbench.scores.layouts import labels, repeats
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing import text, text_columns
from workbench.scores.parsing.limits import LIMITS
from workbench.scores.refusals import ScoresError
from workbench.scores.table import DataTable

rng = np.random.default_rng(5)

CELLS = {
    "floats": lambda i: repr(float(rng.standard_normal())),
    "short floats": lambda i: f"{rng.standard_normal():.3f}",
    "integers": lambda i: str(int(rng.integers(-(10**6), 10**6))),
    "integers beyond 2^53": lambda i: str(2**62 + int(rng.integers(10**6))),
    "integers, then floats": lambda i: str(2**60 + 2 * i + 1) if i < 40 else f"{i + 0.1}",
    "floats, then integers": lambda i: f"{i + 0.1}" if i < 40 else str(2**60 + 2 * i + 1),
    "integers, one beyond 2^63": lambda i: str(2**63 + 5) if i == 55 else str(i),
    "integers, one beyond 2^64": lambda i: str(2**70) if i == 55 else str(i),
    "infinite": lambda i: ("inf", "-inf", "Infinity", "1e400", "0.5")[i % 5],
    "nan as text": lambda i: "nan" if i % 7 == 3 else f"{i}.5",
    "nan once, late": lambda i: "NaN" if i == 90 else f"{i}.5",
    "empty cells": lambda i: "" if i % 5 == 1 else f"{i}.25",
    "empty at the end": lambda i: f"{i}.25" if i < 41 else "",
    "empty at the beginning": lambda i: f"{i}.25" if i > 41 else "",
    "all empty": lambda i: "",
    "words": lambda i: ("in", "out", "")[i % 3 if i < 90 else 0],
    "words and numbers": lambda i: ("in", "1", "2.0", "1.50")[i % 4],
    "words, then numbers": lambda i: "in" if i < 35 else "1.50",
    "a word, late": lambda i: "broken" if i == 90 else "1.50",
    "truth values": lambda i: str(i % 3 == 0),
    "truth values, some empty": lambda i: "" if i == 50 else str(i % 3 == 0),
    "truth values, then numbers": lambda i: "True" if i < 35 else "1",
    "ones, then truth values": lambda i: "1" if i < 35 else "False",
    "decimal commas in quotes": lambda i: f'"{i},5"',
    "spaces": lambda i: f"  {i}.5",
    "quoted lines": lambda i: '"a\nb"' if i % 11 == 0 else '"c"',
    "signed zeros": lambda i: ("0.0", "-0.0")[i % 2],
    "large and small": lambda i: ("1e308", "4.9e-324", "1.7976931348623157e308", "-0")[i % 4],
    "wörter": lambda i: ("drinnen", "draußen")[i % 2],
}


def same(a, b):
    return a.dtype == b.dtype and (
        np.array_equal(a, b)
        if a.dtype == object
        else np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        and np.array_equal(np.signbit(a), np.signbit(b))
    )


def parsed(lines, separator=","):
    """Both ways to parse a text whose first column is numbers."""
    data = "\n".join(lines).encode()
    dialect = text.dialect_of(data, "x.csv")
    assert dialect.separator == separator
    return text.read_text(data, "x.csv", LIMITS)


@pytest.mark.parametrize("rows", [1, 7, 10, 33])
@pytest.mark.parametrize("kind", CELLS)
def test_parts_are_parsed_as_one_piece(kind, rows, monkeypatch):
    """The tables are equal, with every column, end, note and type."""
    lines = ["first,second", *(f"{i}.5,{CELLS[kind](i)}" for i in range(100))]
    monkeypatch.setattr(text_columns, "_in_parts", lambda *_: None)
    whole = parsed(lines)
    monkeypatch.undo()
    monkeypatch.setattr(text_columns, "_ROWS", rows)
    found = parsed(lines)
    assert list(found.columns) == list(whole.columns)
    assert all(same(found.columns[c], whole.columns[c]) for c in whole.columns)
    assert (found.notes, found.rows, found.filled) == (whole.notes, whole.rows, whole.filled)
    assert found.blank_rows == whole.blank_rows


@pytest.mark.parametrize(
    "kind",
    ["floats", "integers", "empty cells", "empty at the end", "words", "truth values"],
)
def test_usual_columns_are_parsed_once(kind, monkeypatch):
    monkeypatch.setattr(text_columns, "_ROWS", 33)
    monkeypatch.setattr(text_columns, "_as_a_whole", lambda *_: pytest.fail("parsed anew"))
    parsed(["first,second", *(f"{i}.5,{CELLS[kind](i)}" for i in range(100))])


@pytest.mark.parametrize("row", [3, 40, 98])
def test_an_irregular_row_is_named_wherever_it_is(row, monkeypatch):
    lines = ["first,second", *(f"{i}.5,{i}" for i in range(100))]
    lines[row] += ",3"
    monkeypatch.setattr(text_columns, "_ROWS", 10)
    with pytest.raises(ScoresError, match=f"row {row + 1} has 3 cells where 2 are expected"):
        parsed(lines)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_rows_are_numbered_only_where_a_line_begins_with_white_space(end, monkeypatch):
    plain = end.join(["a,b", *(f"{i},{i}" for i in range(50)), ""]).encode()
    monkeypatch.setattr(text, "_BLOCK", 16)
    monkeypatch.setattr(text.re, "finditer", lambda *_: pytest.fail("all lines were looked at"))
    assert text._blank_rows(plain, 2) == ()
    monkeypatch.undo()
    for block in (1, 2, 3, 16, 2**17):
        monkeypatch.setattr(text, "_BLOCK", block)
        for at in (0, 1, 20, 50):
            lines = ["a,b", *(f"{i},{i}" for i in range(50)), ""]
            lines[at:at] = [" \t"[: at % 3], ""]
            data = end.join(lines).encode()
            assert text._blank_rows(data, 1) == (at + 1, at + 2)
    assert text._blank_rows(b"\n 1,2\n", 1) == (1,)
    assert text._blank_rows(b" 1,2\n 2,3\n", 1) == ()


OLD_CELL = rb'(?:^|[%s"\r\n]) *([+-]?\d*%s\d+(?:[eE][+-]?\d+)?) *(?=[%s"\r\n]|$)'


@pytest.mark.parametrize("separator", [";", "\t", " "])
def test_the_first_cell_with_a_mark_is_the_first_of_the_whole_text(separator):
    between = rb" \t" if separator == " " else separator.encode()
    pieces = ["1", "2.5", "2,5", "-,5", "a,5", "1,2,3", "text, more", '"7,5"', " 8,25 ", "", "3.",
              "1,5e3", "5,", "\r", "1.000,5"]  # fmt: skip
    for _ in range(400):
        cells = rng.choice(pieces, (int(rng.integers(1, 5)), 3))
        data = "\n".join(separator.join(row) for row in cells).encode()
        for mark in (b".", b","):
            old = re.search(OLD_CELL % (between, re.escape(mark), between), data)
            assert text._marked(data, mark, between) == (old[1] if old else None)


def test_text_that_is_ascii_is_not_copied():
    data = b"a,b\n1,2\n"
    assert text.utf8(data, "x.csv") is data


def test_labels_of_a_column_are_sought_once(monkeypatch):
    table = DataTable(
        "t", {"score": np.arange(3000.0), "member": np.arange(3000) % 2}, "csv", rows=3000
    )
    sizes = []
    plain = labels.factorized
    monkeypatch.setattr(labels, "factorized", lambda x: sizes.append(x.size) or plain(x))
    guess_layout(table)
    assert sorted(sizes) == [1000, 1000, 3000]


def test_scores_are_sorted_for_copies_only_if_the_ends_are_there_twice(monkeypatch):
    x = rng.standard_normal(1000)
    member = (np.arange(1000) % 3 == 0).astype(float)
    layout = SimpleNamespace(kind="score and label", score="x", member="m", rows=None)

    def table(scores, flags):
        return DataTable("t", {"x": scores, "m": flags}, "csv", rows=scores.size)

    counted = []
    plain = np.unique
    monkeypatch.setattr(repeats.np, "unique", lambda *a, **k: counted.append(1) or plain(*a, **k))
    assert repeats.repeats_in([table(x, member)], layout) is None
    assert not counted
    x[[0, -1]] = np.nan  # these say nothing
    assert repeats.repeats_in([table(x, member)], layout) is None
    assert counted
    twice = table(np.repeat(x[1:-1], 2), np.repeat(member[1:-1], 2))
    found = repeats.repeats_in([twice], layout)
    assert found is not None
    assert "2 times" in found.why
