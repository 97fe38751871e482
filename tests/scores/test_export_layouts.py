"""Every layout of docs/export-layouts.md is read, asked about or refused as the table says."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.export_layouts import LAYOUTS, N_P, N_Q, P, Q
from helpers.servers import ROOT

import workbench as wb
from workbench.pages.importing.page import ImportPage
from workbench.scores.sample import ScoresError

#: Words by which a message asks: options of `read_scores`, and of the command line in the same way.
QUESTIONS = re.compile(r"\b(p|q|score|member|member_value|path_q|path_labels|sampling)=")

#: Layouts whose scores are not the two groups of the others.
OTHER_SCORES = ("npz of logits and labels", "scikit-learn, ROC with numbers")


def rows():
    text = (ROOT / "docs" / "export-layouts.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
             if line.startswith("|")][2:]  # fmt: skip
    return {name: (outcome, how) for name, outcome, how in cells}


TABLE = rows()


def test_the_table_has_every_layout_and_at_least_forty():
    assert list(TABLE) == list(LAYOUTS)
    assert len(TABLE) >= 40
    assert {outcome for outcome, _ in TABLE.values()} == {"read", "asked", "refused"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_answered_as_the_table_says(name, tmp_path):
    outcome, how = TABLE[name]
    path = LAYOUTS[name](tmp_path)
    if outcome == "read":
        found = wb.read_scores(path)
        assert found.larger_is_member
        if name not in OTHER_SCORES:
            np.testing.assert_allclose(np.sort(found.p), np.sort(P), rtol=1e-12)
            np.testing.assert_allclose(np.sort(found.q), np.sort(Q), rtol=1e-12)
        return
    with pytest.raises(ScoresError) as refused:
        wb.read_scores(path)
    words = str(refused.value)
    quoted = re.findall("“([^”]+)”", how)
    assert quoted, "the table quotes what to do"
    assert all(part in words for part in quoted), words
    assert bool(QUESTIONS.search(words)) or outcome == "refused"
    assert "unknown extension" not in words
    assert str(tmp_path.parent) not in words or path.is_dir()
    assert "Traceback" not in words


def test_ties_of_a_roc_curve_are_its_counts(tmp_path):
    found = wb.read_scores(LAYOUTS["scikit-learn, ROC with numbers"](tmp_path))
    assert (found.n_p, found.n_q) == (N_P, N_Q)
    # (fpr, tpr) = (0.1, 0.6) and (0.5, 0.9): 30, 15, 5 members and 7, 28, 35 others between them.
    values = np.unique(np.r_[found.p, found.q])[::-1]
    assert [int((found.p == v).sum()) for v in values] == [30, 15, 5]
    assert [int((found.q == v).sum()) for v in values] == [7, 28, 35]


def opened(name, folder):
    path = LAYOUTS[name](folder)
    return ImportPage(upload=((path.name, path.read_bytes()),))


def test_a_confusion_matrix_opens_on_the_page_counts(tmp_path):
    page = opened("scikit-learn, confusion matrix", tmp_path)
    assert page.goes_to == "counts"
    assert page.goes_with == {"tp": 38, "fp": 15, "tn": 55, "fn": 12}
    assert "confusion matrix" in page.message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cm.csv", "tp,fp,tn,fn\n400,100,410,90\n"),
        ("cm.tsv", "accuracy\ttp\tfp\ttn\tfn\n0.8\t400\t100\t410\t90\n"),
        ("cm.json", '{"TP": 400, "FP": 100, "TN": 410, "FN": 90, "auc": 0.9}'),
        ("rows.json", '[{"tp": 400, "fp": 100.0, "tn": 410, "fn": 90}]'),
        ("names.json", '{"true_positives": 400, "false_positives": 100, "true_negatives": 410, '
                       '"false_negatives": 90}'),
    ],
)  # fmt: skip
def test_counts_by_name_do_so_in_any_format(name, text):
    page = ImportPage(upload=((name, text.encode()),))
    assert page.goes_with == {"tp": 400, "fp": 100, "tn": 410, "fn": 90}


@pytest.mark.parametrize("tp", ["0.8", "-3", "null", '"many"', "1e300"])
def test_counts_that_are_none_are_refused_in_words(tp):
    text = f'{{"tp": {tp}, "fp": 1, "tn": 2, "fn": 3}}'
    page = ImportPage(upload=(("cm.json", text.encode()),))
    assert page.goes_to == ""
    assert "whole numbers" in page.message


def test_the_import_step_says_what_became_of_a_roc_curve_and_of_an_area(tmp_path):
    page = opened("scikit-learn, ROC with numbers", tmp_path)
    assert "scores between two thresholds are equal" in page.columns()
    assert "50 scores of members and 70 of non-members" in page.groups()
    page = opened("scikit-learn, area alone", tmp_path)
    assert page.goes_to == ""
    assert "curves of one area leak differently much" in page.message


@pytest.mark.parametrize(
    ("text", "p"),
    [
        ("# attack: LiRA\n# seed: 3\nscore,member\n2,1\n1,0\n3,1\n0,0\n", [2, 3]),
        ("# of Monday\nscore,member\n2,1\n1,0\n3,1\n0,0\n", [2, 3]),
        ("# of Monday\n# score,member\n2,1\n1,0\n3,1\n0,0\n", [2, 3]),
        ("# score member\n2 1\n1 0\n3 1\n0 0\n", [2, 3]),
        ('"score" "member"\n2 1\n1 0\n3 1\n0 0\n', [2, 3]),
    ],
)
def test_comments_above_the_names_are_left_out(tmp_path, text, p):
    (tmp_path / "scores.txt").write_text(text)
    assert sorted(wb.read_scores(tmp_path / "scores.txt").p) == p
