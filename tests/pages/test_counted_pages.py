"""Pages of scores that are known by their counts: everything is drawn, and no row is made."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import norm

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.compare import ComparePage
from workbench.pages.family import FamilyPage
from workbench.pages.importing.page import ImportPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.watch import WatchPage
from workbench.workspaces.workspace import Workspace

N = 10**10
VALUES = np.linspace(-6, 7, 2**14)


def counted(mu=1.0, n=N, seed=0, **options):
    """Counts of 10¹⁰ scores of each group of a Gaussian pair."""
    rng = np.random.default_rng(seed)
    edges = np.append(-np.inf, VALUES)
    p, q = (rng.poisson(n * np.diff(norm.cdf(edges, loc=at))) for at in (mu, 0))
    first = rng.normal(mu, 1, 3000), rng.normal(0, 1, 3000)
    return wb.CountedScores(VALUES, p, q, first=first, grid="16,384 equal cells", **options)


@pytest.fixture(scope="module")
def many():
    return counted()


PAGES = {
    "scores": ScoresPage,
    "family": FamilyPage,
    "compare": lambda scores: ComparePage((scores, counted(0.9, seed=1))),
    "watch": WatchPage,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_draws_everything_in_little_memory(name, many):
    tracemalloc.start()
    try:
        page = PAGES[name](many)
        drawn = {item.name: page.draw(item) for item in page.items()}
        audit = audit_of(page)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6
    assert not page.message
    assert drawn
    assert audit.numbers


def test_the_numbers_of_the_scores_page_are_those_of_the_pair(many):
    page = ScoresPage(many)
    truth = wb.GaussianPair(1).epsilon(page.delta.value)
    bound = next(x for x in map(page.draw, page.numbers()) if isinstance(x, Bound))
    assert 0.95 * truth < page.band().epsilon(page.delta.value).value <= truth
    assert bound.n_p == many.n_p


def test_watch_uses_the_first_rows_and_says_so(many):
    page = WatchPage(many)
    assert page.rows == 3000
    assert "first 3,000 scores of P" in page.epsilon().note
    assert "first 3,000 scores of P" in page.seen().note
    scope = {"wb": wb, "scores": many}
    exec(page.code({}).replace("view = ", "").split("wb.explore_watch")[0], scope)
    assert scope["seen"] == 3000


def test_watch_says_in_a_sentence_that_it_needs_rows():
    without = wb.CountedScores([0, 1], [5, 9], [9, 5])
    with pytest.raises(wb.ScoresError, match="without their order of arrival"):
        WatchPage(without)
    ws = Workspace()
    key = ws.add_scores(without, "counts").key
    page = WatchPage(workspace=ws)
    before = page.scores
    page.data = key
    assert "without their order of arrival" in page.message
    assert page.scores is before


# -- kept -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_a_workspace_keeps_the_counts(place, many, tmp_path):
    ws = Workspace() if place == "memory" else wb.workspace(tmp_path)
    kept = ws.add_scores(many, "ten billion")
    assert (kept.n_p, kept.n_q) == (many.n_p, many.n_q)
    assert "16,384 equal cells" in kept.describe()
    assert ws.add_scores(counted(), "again") == kept
    if place == "disk":
        ws.close()
        assert sum(f.stat().st_size for f in tmp_path.rglob("*") if f.is_file()) < 2e6
        ws = wb.workspace(tmp_path)
    found = ws.scores(kept.key)
    assert repr(found) == repr(many)
    assert (found.grid, found.n_p) == (many.grid, many.n_p)
    assert found.same_arrays(many)
    assert wb.tradeoff_band(found).mu() == wb.tradeoff_band(many).mu()
    for kind in (ScoresPage, FamilyPage, WatchPage):
        page = kind(workspace=ws, data=kept.key)
        assert not page.message
        assert page.scores.n_p == many.n_p
    ws.close()


def test_other_counts_are_another_data_set(many):
    ws = Workspace()
    one, other = ws.add_scores(many), ws.add_scores(counted(seed=5))
    assert one.sha256 != other.sha256
    assert ws.add_scores(many.with_direction(False)).key != one.key


def test_the_direction_of_kept_counts_can_be_changed(many):
    ws = Workspace()
    kept = ws.add_scores(many.with_direction(False))
    assert ws.scores(kept.key).same_arrays(many)
    page = ImportPage(workspace=ws)
    page.choosing.open_dataset(kept.key)
    assert f"{many.n_p:,} scores of members" in page.groups()
    assert [page.draw(item) for item in page.items()]
    page.larger_is_member = True
    page.accept = True
    assert not page.message
    again = ws.scores(page.accepted)
    assert again.larger_is_member
    for a, b in zip(again.samples.in_order(), many.samples.in_order(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_nonfinite_counts_are_left_out_by_another_reading():
    from dataclasses import replace

    ws = Workspace()
    odd = wb.CountedScores([-np.inf, 0, 1, np.nan], [1, 5, 9, 2], [2, 9, 5, 0])
    kept = ws.add_scores(odd)
    np.testing.assert_array_equal(ws.scores(kept.key).values, odd.values)
    read = ws.scores(
        ws.kept.reread(kept.key, replace(kept.reading, nonfinite="drop"), seen=False).key
    )
    assert (read.n_p, read.n_q, read.discarded) == (14, 14, 5)
    again = Workspace().add_scores(read)
    assert (again.source.dropped, again.n_p) == (((2, 0, 1), (0, 0, 2)), 14)


def test_an_audit_carries_the_counts(many):
    audit = audit_of(page := ScoresPage(many))
    there = Workspace()
    bring_data(audit, attachments_of(page), there)
    (data,) = audit.data
    kept = there.find(data.sha256)
    assert there.scores(kept.key).same_arrays(many)


def test_a_report_and_a_view_are_made_of_counts(many):
    from workbench.reports.write import report_bytes

    audit = audit_of(ScoresPage(many))
    said = report_bytes(audit, "md", Workspace()).decode()
    assert f"{many.n_p:,}" in said
    view = wb.explore(many, show=("epsilon", "histogram"))
    assert view.epsilon.n_p == many.n_p
    view.close()


def test_frames_and_rows_are_refused_in_a_sentence(many):
    with pytest.raises(wb.ScoresError, match=r"use scores\.samples\.distinct"):
        many.to_frame()
