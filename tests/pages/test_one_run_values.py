"""The page on one run with canaries of many values: ranks, exposure, and nobody who drew."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.bounds.bound import Bound
from workbench.figures.one_run import ranks as charts
from workbench.onerun.bound import METHODS, OF_VALUES
from workbench.onerun.simulate import Memoryless
from workbench.pages.core.page import is_left_out
from workbench.pages.importing.choices import RANKS
from workbench.pages.importing.page import ImportPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.scores.page import ScoresPage
from workbench.workspaces.workspace import Workspace

K = 1000


def counted(**more):
    counts = {"canaries": 200, "guessed": 200, "right": 60, "values": K}
    return OneRunPage(source="counts", **counts | more)


def ranks(m=200, values=K, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    found = np.where(rng.random(m) < share, 1, rng.integers(1, values + 1, m))
    return wb.Ranks(found, values, name="secrets")


def content(given):
    lines = [f"c{i},{rank},{given.values}" for i, rank in enumerate(given.ranks)]
    return "\n".join(["id,rank,candidates", *lines]).encode()


def from_file(given, workspace=None, **more):
    upload = (("secrets.csv", content(given)),)
    return OneRunPage(source="file", upload=upload, workspace=workspace, **more)


def drawn(page):
    """What the page has in its present state, as a browser gets it."""
    return {item.name: board.content(page.draw(item)) for item in page.items()}


def shown(page):
    """Names of the charts that the page does not do without."""
    layouts = {f.name: page.draw(f)["layout"]["meta"] for f in page.figures()}
    return {name for name, meta in layouts.items() if not meta.get("optional")}


def offered(page):
    return {c.name for section in page.sections for c in section.controls if c.offered(page)}


# -- counts of many values -----------------------------------------------------------------------


def test_the_methods_that_hold_for_many_values_are_offered_the_sharp_one_first():
    page = counted()
    bound = wb.one_run_bound(200, canaries=200, correct=60, values=K, delta=1e-5)
    assert page.sharp().to_dict() == bound.to_dict()
    assert page.sharp().method == "one run, sharp"
    assert page.fdp().family == "Gaussian"
    assert [name for name, found in page.by_method().items() if isinstance(found, Bound)] == [
        name for name in METHODS if name in OF_VALUES
    ]
    assert set(page.drawn_numbers()) == {"sharp", "fdp", "counted", "by_chance"}
    assert shown(page) == {"methods", "correct_guesses"}
    assert page.answer().words == "A leak is shown"
    assert "only that the values were drawn uniformly" in page.answer().evidence
    assert "Report this" in page.answer().evidence
    assert "each with one of 1,000 values" in page.provenance()
    assert page.by_chance().text == "0.200"


def test_two_values_are_in_or_out_as_before():
    page = counted(values=2, right=130)
    assert is_left_out(page.sharp())
    assert is_left_out(page.by_chance())
    assert (
        page.steinke().value == wb.one_run_bound(200, canaries=200, correct=130, delta=1e-5).value
    )
    assert not shown(page) & {"ranked", "exposed", "correct_guesses"}
    assert {"included", "design", "simulate", "mechanism"} <= offered(page)
    assert "top" not in offered(page)


def test_what_is_about_coins_is_not_offered_for_many_values():
    page = counted()
    assert {"values", "top", "family", "log_delta"} <= offered(page)
    assert not offered(page) & {"included", "design", "tuned", "simulate", "mechanism", "seed"}
    # Nor does what was set for coins count.
    assert counted(included=90, design="fixed-half").sharp().value == page.sharp().value


def test_a_guess_of_several_values_proves_less():
    page = counted(top=10)
    bound = wb.one_run_bound(200, canaries=200, correct=60, values=K, top=10, delta=1e-5)
    assert page.sharp().value == bound.value < counted().sharp().value
    assert page.by_chance().text == "2.00"
    assert "names 10 of them" in page.provenance()
    all_named = counted(top=K)
    assert (
        "“Values named by a guess j” must be below the 1,000 values; got 1,000" in all_named.said()
    )
    assert shown(all_named) <= {"methods", "ranked", "exposed"}
    assert drawn(all_named)


@pytest.mark.parametrize("values", [2, 3, 10, 10**6])
@pytest.mark.parametrize("right", [0, 1, 200])
def test_every_count_draws(values, right):
    page = counted(values=values, right=right)
    for text in drawn(page).values():
        assert "NaN" not in text
    assert drawn(counted(values=values, guessed=0, right=0))


# -- ranks -----------------------------------------------------------------------------------------


def test_a_file_of_ranks_shows_the_bound_of_their_exposure():
    given = ranks()
    page = from_file(given)
    assert page.message == ""
    found = wb.exposure(given, delta=1e-5)
    assert page.sharp().to_dict() == found.bound.to_dict()
    assert page.sharp().value > 0
    assert page.mean_exposure().text == f"{found.mean:.2f} bits"
    assert page.counted().text == f"{int((given.ranks == 1).sum())} of 200"
    assert shown(page) == {"ranked", "exposed", "correct_guesses", "methods"}
    assert "File “secrets” · 200 canaries, each with one of 1,000 values" in page.provenance()
    assert page.answer().tone == "bad"
    assert not offered(page) & {"rule", "threshold", "design", "larger_is_member", "values"}


def test_ranks_among_two_are_pairs_of_which_a_coin_drew_one():
    given = ranks(400, 2, 0.5)
    page = from_file(given)
    assert page.steinke().value == wb.one_run_bound(given.guesses(), delta=1e-5).value > 0
    assert page.steinke().assumption == "fair coins of pairs of records"
    assert page.counted().note.endswith("400 canaries")
    assert {"ranked", "exposed"} <= shown(page)
    assert drawn(page)


def test_another_number_of_candidates_after_looking_marks_the_bound_until_it_is_what_it_was():
    page = from_file(ranks())
    before = page.sharp()
    page.top = 10
    assert "candidates that a guess names was changed" in page.sharp().void
    assert page.answer().tone == "void"
    assert "at most by" not in str(page.ranked())
    page.top = 1
    assert page.sharp().to_dict() == before.to_dict()
    # It is remembered with the ranks, not with the page.
    workspace = Workspace()
    drawn(from_file(ranks(), workspace))
    again = from_file(ranks(), workspace, top=10)
    assert again.sharp().void is not None
    # Set before the file came, it was fixed in advance.
    page = OneRunPage(source="file", top=10)
    assert "top" in offered(page)
    page.upload = (("secrets.csv", content(ranks())),)
    assert page.sharp().void is None
    assert page.sharp().value == wb.exposure(ranks(), delta=1e-5, top=10).bound.value


def test_other_ranks_are_other_data():
    workspace = Workspace()
    drawn(from_file(ranks(), workspace))
    assert from_file(ranks(seed=1), workspace, top=10).sharp().void is None
    shuffled = wb.Ranks(ranks().ranks[::-1], K)
    assert from_file(shuffled, workspace, top=10).sharp().void is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"rank,candidates\n1,10\n11,10\n", "ranks must lie from 1 to 10, got 11"),
        (b"rank,candidates\n1,10\n2,20\n", "10 to 20 candidates"),
        (b"id,rank,candidates\na,1,10\na,2,10\n", "occurs twice"),
        (b"rank,candidates\n1.5,10\n2,10\n", "whole numbers"),
    ],
    ids=["above", "several", "one secret twice", "mean ranks"],
)
def test_a_file_that_has_no_ranks_is_told_and_leaves_what_there_was(content, said):
    page = from_file(ranks())
    before = page.sharp().value
    page.upload = (("other.csv", content),)
    assert said in page.message
    assert page.sharp().value == before


def test_the_import_step_leads_files_of_ranks_to_this_page():
    given, workspace = ranks(), Workspace()
    step = ImportPage(workspace, upload=(("secrets.csv", content(given)),))
    assert (step.goes_to, step.message) == ("onerun", RANKS)
    page = OneRunPage(workspace=workspace)
    assert page.restore(step.goes_with, workspace.file) == []
    assert (page.ranks().ranks == given.ranks).all()


def test_settings_bring_ranks_back():
    workspace = Workspace()
    workspace.files.keep("secrets.csv", content(ranks()))
    page = from_file(ranks(), workspace, top=3)
    again = OneRunPage(workspace=workspace)
    assert again.restore(json.loads(json.dumps(page.settings())), workspace.file) == []
    assert drawn(again) == drawn(page)


def test_the_code_reproduces_the_numbers_and_the_view(tmp_path, monkeypatch):
    given = ranks()
    (tmp_path / "secrets.csv").write_bytes(content(given))
    monkeypatch.chdir(tmp_path)
    views = (
        wb.explore_one_run(given, spec={"top": 5}),
        wb.explore_one_run("secrets.csv"),
        wb.explore_one_run(wb.Guesses(200, 200, 60, values=K, top=2)),
        wb.explore_one_run(spec={"source": "counts", "values": 10, "family": "laplace"}),
        wb.explore(given),
    )
    for view in views:
        made = {"ranks": given}
        exec(view.to_code(), made)
        assert made["sharp"].to_dict() == view.sharp.to_dict() | {"void": made["sharp"].void}
        assert made["fdp"].value == view.fdp.value
        assert made["view"].numbers == view.numbers
    exec(from_file(given).code({}).rpartition("view = ")[0], made := {})
    assert (made["ranks"].ranks == given.ranks).all()
    assert made["mean_exposure"] == pytest.approx(given.exposures.mean())


# -- charts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [2, 3, 7, 8, 9, 1000, 1024])
def test_exposures_are_counted_in_whole_bits_by_whole_numbers(values):
    every = np.arange(1, values + 1)
    seen, chance = charts.exposure_counts(every, values)
    wanted = [sum(2**b * r <= values < 2 ** (b + 1) * r for r in every) for b in range(seen.size)]
    assert seen.tolist() == chance.tolist() == wanted
    assert seen.sum() == values
    mean = np.mean(np.log2(values) - np.log2(every))
    assert charts.chance_exposure(values) == pytest.approx(mean)


def test_the_curves_of_ranks_are_those_of_the_formulas():
    given = ranks()
    bound = wb.exposure(given, delta=1e-5).bound
    curves = {
        trace["name"]: trace
        for trace in charts.against_chance(given.ranks, K, 1, bound)["data"]
        if trace["mode"] == "lines"
    }
    x = np.asarray(curves["by chance"]["x"])
    assert np.asarray(curves["by chance"]["y"]) == pytest.approx(x / K)
    grown = x * np.exp(bound.value)
    allowed = curves[f"at most by ε = {bound.rounded}"]
    assert np.asarray(allowed["y"]) == pytest.approx(grown / (grown + K - x))
    assert curves["seen"]["y"][0] == pytest.approx(np.mean(given.ranks == 1))
    assert (curves["seen"]["x"][-1], curves["seen"]["y"][-1]) == (K, 1)


@pytest.mark.parametrize("values", [2, 10, 10**4, 10**6])
def test_ranks_draw_few_points_and_no_nan(values):
    many = wb.Ranks(np.random.default_rng(0).integers(1, values + 1, 30_000), values)
    page = OneRunPage(many)
    for item in page.figures():
        drawing = page.draw(item)
        assert "NaN" not in board.content(drawing)
        assert all(len(trace["x"]) <= 2200 for trace in drawing["data"])


def test_at_the_bound_as_many_correct_guesses_have_the_probability_that_is_left():
    """The law that the chart draws is the one of the bound, at δ = 0."""
    bound = wb.one_run_bound(200, canaries=200, correct=60, values=K, delta=0)
    guesses = wb.Guesses(200, 200, 60, values=K)
    law = charts.correct(guesses, bound)["data"][1]
    k, y = np.asarray(law["x"]), np.asarray(law["y"])
    inside = (k >= k[1]) & (k <= k[-2])  # neighboring numbers
    share = y[inside & (k >= 60)].sum() / y[inside].sum()
    assert share == pytest.approx(0.05, abs=2e-3)


# -- nobody drew who was in ------------------------------------------------------------------------


def test_where_nobody_drew_who_was_in_there_are_estimates_and_no_bound():
    run = Memoryless(wb.GaussianPair(1)).run(400, seed=3)
    upload = (("canaries.csv", run.to_frame().to_csv(index=False).encode()),)
    pages = (
        OneRunPage(source="file", design="given", upload=upload),
        OneRunPage(source="counts", design="given", included=480),
        OneRunPage(design="given"),
    )
    for page in pages:
        found = [one for one in page.drawn_numbers().values() if isinstance(one, Bound)]
        assert found
        assert {one.guarantee for one in found} == {"estimate"}
        assert {one.confidence for one in found} == {None}
        assert {one.assumption for one in found} == {"members and non-members of one population"}
        assert page.answer().tone == "void"
        assert "nobody drew" in page.answer().evidence
        assert "is an estimate only" in page.answer().evidence
        assert not shown(page) & {"choice", "information", "hypothetical"}
        assert "at least" not in str(page.methods())
    assert "no coins can be tested" in pages[0].coins()
    view = wb.explore_one_run(spec={"design": "given"})
    exec(view.to_code(), made := {})
    assert made["steinke"].to_dict() == view.steinke.to_dict()


def test_a_statement_that_somebody_drew_after_results_were_seen_gives_no_bound():
    run = Memoryless(wb.GaussianPair(1)).run(400, seed=3)
    upload = (("canaries.csv", run.to_frame().to_csv(index=False).encode()),)
    page = OneRunPage(source="file", design="given", upload=upload)
    drawn(page)
    page.design = "fair-coins"
    assert "the inclusion design was changed" in page.steinke().void


def test_scores_of_members_whom_nobody_drew_are_concluded_nothing_of():
    workspace = Workspace()
    rng = np.random.default_rng(0)
    rows = [
        f"{x},{int(i < 300)}" for i, x in enumerate(rng.normal(size=600) + (np.arange(600) < 300))
    ]
    step = ImportPage(workspace, upload=(("s.csv", "\n".join(["score,member", *rows]).encode()),))
    step.sampling = "given"
    assert "every number is an estimate" in step.independence()
    assert "no claim is judged" in step.independence()
    step.larger_is_member = True
    step.param.trigger("accept")
    page = ScoresPage(workspace=workspace, data=step.accepted)
    assert page.answer().tone == "void"
    assert "is an estimate only" in page.answer().evidence
    found = [one for one in page.drawn_numbers().values() if isinstance(one, Bound)]
    assert {one.guarantee for one in found} == {"estimate"}


# -- what counts rest on, and the documentation ----------------------------------------------------


def test_what_given_counts_rest_on_stays_with_them():
    pairs = {"canaries": 400, "guesses": 400, "correct": 300, "design": "matched-pairs"}
    labels = wb.Guesses(**pairs, condition="fair coins of labels")
    view = wb.explore_one_run(labels)
    assert view.steinke.to_dict() == wb.one_run_bound(labels, delta=1e-5).to_dict()
    assert not isinstance(view.bits, Bound)
    exec(view.to_code(), made := {})
    assert made["view"].numbers == view.numbers
    page = OneRunPage(source="counts", design="matched-pairs", condition="fair coins of labels")
    assert "replacing a label" in page.answer().evidence
    assert not shown(page) & {"information", "hypothetical"}
    tried = wb.explore_one_run(wb.Guesses(**pairs, void="this is a second try"))
    assert tried.steinke.void == "this is a second try"
    assert tried.page.answer().tone == "void"


def test_the_table_of_the_documentation_is_what_the_functions_compute():
    text = (Path(__file__).parents[2] / "docs" / "which-bound.md").read_text(encoding="utf-8")
    heading = "| ε | canaries |"
    part = heading + text.partition(heading)[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    sizes = [int(name.removeprefix("K = ").replace(",", "")) for name in rows[0][2:]]
    assert sizes == [2, 10, 1000, 10**6]
    for row in rows[1:]:
        epsilon, m = float(row[0]), int(row[1].replace(",", ""))
        for values, printed in zip(sizes, row[2:], strict=True):
            grown = math.exp(epsilon)
            right = round(m * grown / (grown + values - 1))
            bound = wb.one_run_bound(
                m, canaries=m, correct=right, values=values, delta=1e-5, method="sharp"
            )
            assert printed == (
                "0" if bound.value == 0 else f"{math.floor(bound.value * 100) / 100:.2f}"
            )
