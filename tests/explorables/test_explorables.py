"""Explorables: numbers of the library, questions that check answers, and files that are small."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import math
import random
import re
from functools import cache

import numpy as np
import pytest
from helpers.explorables import NAMES, document_of, states_of

import workbench as wb
from workbench.assets.board import content
from workbench.cli import main
from workbench.explorables import composition, families, runs, scores, tuning
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import LETTERS, CheckedQuestion
from workbench.explorables.registry import EXPLORABLES, listed
from workbench.explorables.write import write_explorables
from workbench.pages.registry import PAGES
from workbench.progress import Cancelled

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("explorables")]

DELTA = 1e-5

#: Bytes of a file at most.
MOST = 1_500_000


def explorable(name) -> Explorable:
    return EXPLORABLES[name].explorable


@cache
def embedded(name):
    """The states as the file has them: by name of the slider its places, and what an item shows."""
    packed = re.search(r'id="states">([^<]*)</script>', document_of(name))[1]
    found = json.loads(gzip.decompress(base64.b64decode(packed)))
    sliders = {one["name"]: one for one in found["sliders"]}

    def drawn(item, **values):
        at, index = found["items"][item], 0
        for k in at["sliders"]:
            slider = found["sliders"][k]
            value = values.get(slider["name"], slider["values"][slider["start"]])
            index = index * len(slider["values"]) + slider["values"].index(value)
        drawing = found["drawings"][at["drawings"][index]]
        return {part: found["contents"][k] for part, k in drawing.items()}

    return sliders, drawn


def number(name, item, **values):
    """What a file shows of a number."""
    return embedded(name)[1](item, **values)["all"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_any_state_is_that_of_a_page_whose_sliders_a_person_moved(name):
    one, found = explorable(name), states_of(name)
    rng = random.Random(name)
    for _ in range(2):
        page = one.make()
        places = {s.name: rng.randrange(len(s.values)) for s in found.sliders}
        for slider in found.sliders:
            if places[slider.name] != slider.start:
                setattr(page, slider.name, slider.values[places[slider.name]])
        for item in one.shown(page):
            drawn, shown = found.drawn(item.name, **places), page.draw(item)
            if item.kind == "figure":
                assert json.loads(drawn["layout"]) == json.loads(content(shown["layout"]))
            else:
                assert drawn["all"] == content(shown), (item.name, places)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_small_complete_and_asks_no_other_host(name):
    document = document_of(name)
    assert len(document.encode()) <= MOST
    entry = EXPLORABLES[name]
    assert f"<h1>{entry.title}</h1>" in document
    assert "default-src 'none'" in document
    assert not re.search(r'<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="', document)
    assert document.count('class="question"') == 3
    sliders, drawn = embedded(name)
    assert set(sliders) == set(explorable(name).moves)
    for item in explorable(name).items:
        assert drawn(item) == {
            part: json.loads(text) for part, text in states_of(name).drawn(item).items()
        }


@pytest.mark.parametrize("name", NAMES)
def test_what_it_shows_and_moves_is_on_its_page(name):
    one = explorable(name)
    page = one.make()
    assert [item.name for item in one.shown(page)]
    assert one.page in PAGES
    for slider in states_of(name).sliders:
        low, high = page.param[slider.name].get_soft_bounds()
        assert low <= slider.values[0] < slider.values[-1] <= high
    moving = {k for item in states_of(name).items.values() for k in item["sliders"]}
    assert moving == set(range(len(one.moves)))
    frame = one.frame()
    drags = {name for item in frame["figures"] for name in item["drag"].values()}
    assert drags <= set(one.moves)
    for item in frame["figures"]:
        assert drags or "Drag" not in item["help"], item["name"]


def test_a_name_that_the_page_does_not_have_is_refused():
    one = dataclasses.replace(explorable("tuning"), items=("claimed", "nothing"))
    with pytest.raises(ValueError, match="TuningPage has no items \\['nothing'\\]"):
        one.states()


# -- numbers that the library computes otherwise ---------------------------------------------------


def test_the_bounds_of_the_threshold_are_those_of_the_library():
    s = wb.GaussianPair(1).sample(10_000, 0)
    sliders, _ = embedded("threshold")
    for log_delta in sliders["log_delta"]["values"]:
        bound = wb.epsilon_lower_bound(s, 10**log_delta)
        assert number("threshold", "epsilon", log_delta=log_delta)["value"] == bound.rounded
    assert number("threshold", "mu")["value"] == wb.mu_lower_bound(s).rounded
    t = sliders["threshold"]["values"][50]
    here = wb.Counts.at_threshold(s, t).epsilon(DELTA, 0.95, "joint")
    shown = number("threshold", "epsilon_here", threshold=t)
    assert (shown["value"], shown["tone"]) == (here.rounded, "void")


def test_the_estimates_of_the_bin_width_are_those_of_the_library():
    s = wb.GaussianPair(0.3).sample(1000, 0)
    for width in embedded("bin-width")[0]["bin_width"]["values"]:
        found = wb.histogram(s, width=width)
        share = 0.5 * np.abs(found.p - found.q).sum()
        shown = number("bin-width", "histogram_tv", bin_width=width)
        assert float(shown["value"]) == pytest.approx(share, abs=0.0051 * max(share, 0.1))
        assert shown["rank"] == "estimate"
    bound = wb.tradeoff_band(s).total_variation()
    assert number("bin-width", "total_variation")["value"] == bound.rounded
    assert wb.GaussianPair(0.3).total_variation == pytest.approx(0.119, abs=5e-4)


def test_where_nothing_leaks_the_simultaneous_bound_is_0_and_a_tuned_limit_is_not():
    s = wb.GaussianPair(0).sample(500, scores.LUCKY)
    assert wb.epsilon_lower_bound(s, DELTA).value == 0
    assert number("simultaneous", "epsilon")["value"] == "0"
    places = embedded("simultaneous")[0]["threshold"]["values"]
    values = {}
    for t in places:
        shown = number("simultaneous", "epsilon_here", threshold=t)
        if shown["tone"] == "void":
            values[t] = float(shown["value"])
            bound = wb.Counts.at_threshold(s, t).epsilon(DELTA, 0.95, "joint")
            assert shown["value"] == bound.rounded
    assert max(values.values()) > 0.5
    assert len(values) == len(places) - 1  # where it stands at first, a threshold is asked for


def test_the_chance_of_a_false_claim_is_that_of_many_simulated_audits():
    level = tuning.false_claims(0.95)
    rng = np.random.default_rng(0)
    n, rate = tuning.SCORES, tuning.RATE
    drawn = rng.binomial(n, rate, (4000, 2)).tolist()
    kinds = {}
    for a, b in drawn:
        if (a, b) not in kinds:
            counts = wb.Counts(tp=a, fn=n - a, fp=b, tn=n - b)
            kinds[a, b] = counts.epsilon(DELTA, 0.95, "joint").value > 0
    share = np.mean([kinds[a, b] for a, b in drawn])
    error = 4 * math.sqrt(level * (1 - level) / 4000)
    assert abs(share - level) < error
    assert not abs(2 * level - share) < error
    assert not abs(level / 2 - share) < error
    assert level <= 0.05
    shown = number("tuning", "chance", attacks=20)["value"]
    assert shown == f"{100 * (1 - (1 - level) ** 20):.1f}%"


def test_the_best_of_many_attacks_grows_and_what_is_valid_stays():
    best = [float(number("tuning", "claimed", attacks=k)["value"]) for k in tuning.PLACES]
    assert best == sorted(best)
    assert best[-1] > 0.4
    for k in tuning.PLACES:
        tones = {
            item: number("tuning", item, attacks=k) for item in ("claimed", "corrected", "fresh")
        }
        assert tones["claimed"]["tone"] == ("void" if k > 1 else "warn")
        assert (tones["corrected"]["badge"], tones["corrected"]["value"]) == ("simultaneous", "0")
        assert (tones["fresh"]["badge"], tones["fresh"]["value"]) == ("held-out", "0")
    assert tuning.corrected_confidence(50) == pytest.approx(1 - 0.05 / 50)
    # Bonferroni keeps 5% for every number of attacks, and twice the level would not.
    for k in (2, 10, 100):
        assert tuning.of_any(1 - tuning.corrected_confidence(k), k) <= 0.05
        assert tuning.of_any(2 * (1 - tuning.corrected_confidence(k)), k) > 0.05


@pytest.mark.parametrize("tv", [0.05, 0.2, 0.5, 0.8])
def test_a_total_variation_gives_the_epsilon_of_each_family(tv):
    mu = wb.mu_from_total_variation(tv)
    exact = wb.GaussianPair(mu).epsilon(DELTA)
    assert families.epsilon_of("gaussian", tv, DELTA) == pytest.approx(exact, rel=1e-9)
    least = families.epsilon_of(families.ANY, tv, DELTA)
    assert least == pytest.approx(math.log((1 + tv - 2 * DELTA) / (1 - tv)), rel=1e-9)
    # No mechanism with this TV has a smaller ε: its profile at 0 is at most that of the claim.
    for name in families.STYLES:
        pair = families.pair_of(name, tv, DELTA)
        if pair is not None:
            assert pair.total_variation == pytest.approx(tv, rel=1e-9)
            assert families.epsilon_of(name, tv, DELTA) >= least * (1 - 1e-9)
    shown = number("from-tv-to-epsilon", "gaussian", tv=tv)["value"]
    assert float(shown.removeprefix("ε = ")) == pytest.approx(float(exact), rel=6e-3)


def test_a_family_without_so_large_a_total_variation_says_so():
    assert families.pair_of("subsampled-gaussian", 0.55, DELTA) is None
    shown = number("from-tv-to-epsilon", "subsampled", tv=0.55)
    assert (shown["value"], "no member" in shown["note"]) == ("–", True)


@pytest.mark.parametrize("steps", [1, 10, 50])
def test_the_bounds_of_many_steps_are_those_of_the_library(steps):
    s = composition.STEP.sample(100_000, seed=0)
    band = wb.compose_band(wb.tradeoff_band(s), steps).epsilon(DELTA)
    shown = number("composition", "certified", steps=steps)
    assert (shown["value"], shown["badge"]) == (band.rounded, "simultaneous")
    estimate = wb.compose_histogram(wb.histogram(s, rule="scott"), steps).epsilon(DELTA)
    assert number("composition", "estimated", steps=steps)["value"] == estimate.rounded
    truth = float(wb.ComposedPair(wb.SubsampledGaussianPair(0.5, 2.0), steps).epsilon(DELTA))
    assert float(number("composition", "truth", steps=steps)["value"][4:]) >= truth
    assert band.value <= truth


def test_few_scores_make_the_estimate_infinite_and_the_bound_small():
    few = {"steps": 10, "log_scores": 3.0}
    assert number("composition", "estimated", **few)["value"] == "∞"
    assert float(number("composition", "infinite", **few)["value"]) > DELTA
    many = float(number("composition", "certified", steps=10)["value"])
    assert float(number("composition", "certified", **few)["value"]) < many / 2


def test_the_bounds_of_one_run_are_those_of_the_library():
    from workbench.onerun import SharedGaussian

    run = SharedGaussian(2.0, 10_000).run(1000, 0)
    guesses = run.guess(threshold=0)
    at = {"log_canaries": 3.0, "leak": 2.0}
    for method, family in (("steinke", None), ("fdp", "gaussian"), ("bits", "gaussian")):
        bound = wb.one_run_bound(guesses, delta=DELTA, method=method, family=family)
        assert number("one-run", method, **at)["value"] == bound.rounded, method
    truth = float(wb.GaussianPair(2.0).epsilon(DELTA))
    assert float(number("one-run", "truth", **at)["value"][4:]) == pytest.approx(truth, rel=6e-3)
    assert number("one-run", "counted", **at)["value"] == f"{guesses.correct:,} of 1,000"


@pytest.mark.parametrize(("log_mean", "mu"), [(1.0, 0.5), (2.0, 0.5), (3.0, 1.0)])
def test_the_cost_of_the_best_run_is_that_of_the_library(log_mean, mu):
    many = wb.selection.NegativeBinomial.from_mean(1, 10**log_mean)
    at = {"log_mean": log_mean, "mu": mu}
    direct = wb.selection.epsilon(many, mu, delta=DELTA)
    assert number("best-run", "direct_number", **at)["value"] == direct.rounded
    generic = wb.selection.epsilon(many, mu, delta=DELTA, bound="generic")
    assert number("best-run", "generic_number", **at)["value"] == generic.rounded
    worst = wb.selection.worst_order(many, mu, delta=DELTA).bound
    assert number("best-run", "worst_number", **at)["value"] == worst.rounded


# -- questions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_each_question_says_what_teaching_says_of_every_answer(name):
    for question in explorable(name).questions:
        found = question.content()
        right = question.truth()
        if question.choices:
            assert right in LETTERS[: len(question.choices)]
            statuses = [one["status"] for one in found["said"]]
            assert statuses.count("right") == 1
            assert statuses.index("right") == LETTERS.index(right)
            continue
        assert found["near"][0]["status"] == "right"
        assert found["near"][0]["words"] == f"Right. {question.because}"
        for answer in [right, *(right + d for d in (-3, -0.5, -0.02, 0.02, 0.5, 3)), math.nan]:
            assert spoken(found, answer) == question.check(answer).words
        for near in found["near"][1:]:  # a known mistake is no right answer
            assert near["status"] == "wrong"
            assert near["words"] == question.check(near["value"]).words


def spoken(found, answer):
    """What ``feedbackOf`` of explorable.js says of a number."""
    if math.isnan(answer):
        return found["no number"]["words"]
    for one in found["near"]:
        if answer == one["value"] or abs(answer - one["value"]) <= one["within"] + 1e-12:
            return one["words"]
    return found["above" if answer > found["right"] else "below"]["words"]


def test_a_question_with_a_mistake_of_a_letter_says_so():
    question = CheckedQuestion("?", lambda: "a", "yes", ("x", "y"), mistakes={"no.": lambda: "b"})
    assert question.content()["said"][1] == {"status": "wrong", "words": "Not yet: no."}


def test_answers_that_the_charts_show_can_be_read_off_them():
    q = explorable("composition").questions[1]
    shown = float(number("composition", "certified", steps=10)["value"])
    assert q.check(shown).status == "right"
    q = explorable("best-run").questions[1]
    assert q.check(float(number("best-run", "worst_number")["value"])).status == "right"
    q = explorable("from-tv-to-epsilon").questions[0]
    assert q.check(float(number("from-tv-to-epsilon", "gaussian")["value"][4:])).status == "right"
    q = explorable("bin-width").questions[0]
    shown = float(number("bin-width", "histogram_tv", bin_width=0.02)["value"])
    assert q.check(shown).status == "right"
    assert explorable("one-run").questions[1].check(0.7).status == "right"
    at_17 = tuning.of_any(tuning.false_claims(0.95), explorable("tuning").questions[0].truth())
    assert 0.5 < at_17 < 0.53
    assert runs.DELTA == DELTA


# -- files -----------------------------------------------------------------------------------------


def test_files_are_written_by_name_and_an_unknown_name_is_refused_first(tmp_path):
    with pytest.raises(ValueError, match="bin-width"):
        write_explorables(tmp_path / "new", ["bin-width", "bin-widht"])
    assert not (tmp_path / "new").exists()
    (path,) = write_explorables(tmp_path / "new", ["bin-width"])
    assert path == tmp_path / "new" / "bin-width.html"
    assert path.read_text(encoding="utf-8") == document_of("bin-width")
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_command_writes_those_that_are_named(tmp_path, capsys):
    assert main(["explorables", "bin-width", "--output", str(tmp_path)]) == 0
    (path,) = tmp_path.iterdir()
    assert path.read_text(encoding="utf-8") == document_of("bin-width")
    assert capsys.readouterr().out.startswith(f"{path}: 1,")
    assert main(["explorables", "nothing", "--output", str(tmp_path)]) == 2
    assert "bin-width" in capsys.readouterr().err


def test_it_can_be_cancelled_and_reports_its_progress():
    fractions = []

    def report(fraction=None, message=None, partial=None):
        fractions.append(fraction)
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        explorable("bin-width").states(report)
    assert fractions == sorted(fractions)


def test_the_list_has_what_links_need():
    assert [one["file"] for one in listed()] == [f"{name}.html" for name in NAMES]
    assert len({one["title"] for one in listed()}) == 8
    assert all(one["asks"].endswith("?") for one in listed())
