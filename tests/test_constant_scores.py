"""An attack that never fires is an audit too: bounds of 0, and no error or warning anywhere."""

import warnings

import numpy as np
import pytest
from helpers.pages import items

import workbench as wb
from benchmarks import _valid_calls as valid
from workbench.cli.score_audit.file_audit import FileAudit
from workbench.cli.score_audit.formats import as_text
from workbench.pages.family import FAMILIES, FamilyPage
from workbench.pages.inputs.score_source import Arrival
from workbench.pages.scores.page import ScoresPage

CONSTANT = {
    "zeros": lambda: wb.Scores(np.zeros(60), np.zeros(60)),
    "smaller is member": lambda: wb.Scores(
        np.full(60, -3.5), np.full(60, -3.5), larger_is_member=False, sampling="one run"
    ),
    "two": lambda: wb.Scores([1, 1], [1, 1]),
    "huge": lambda: wb.Scores(np.full(300, 1e300), np.full(20, 1e300)),
    "counted": lambda: wb.CountedScores([0.0], [50], [70], first=(np.zeros(9), np.zeros(9))),
}

#: Reasons for which a call may refuse such scores, each with what to do instead.
REFUSALS = (
    "too few",  # of two scores
    "all scores of P are",  # no member of a family does that
    "all scores are",
    "bins are too many",  # of a width that was given
)

CALLS = sorted(
    {
        (call.name, name)
        for call in valid.calls()
        for name in call.parameters
        if not call.constructs
        and call.name != "read_score_table"  # the name of a column
        and (name == "scores" or (call.name == "compare" and name in "ab"))
        and call.name != "Auditor.correct"  # an array of canaries and slots
    }
)


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("kind", CONSTANT)
@pytest.mark.parametrize(("name", "parameter"), CALLS)
def test_every_call_gives_zero_or_a_reason(name, parameter, kind):
    (call,) = (call for call in valid.calls() if call.name == name)
    for variant in range(len(call.variants)):
        arguments = call.arguments(variant) | {parameter: CONSTANT[kind]()}
        found, refused = None, ""
        try:
            found = call.function()(**arguments)
        except ValueError as error:
            refused = str(error)
        assert not refused or any(reason in refused for reason in REFUSALS), refused
        if isinstance(found, wb.Bound) and found.guarantee not in ("estimate", "approximate"):
            assert found.value == 0
            assert "no leak" in found.explain()


@pytest.mark.parametrize("kind", CONSTANT)
def test_results_of_constant_scores(kind):
    s = CONSTANT[kind]()
    assert wb.roc(s).auc == 0.5
    for rule in (None, "quantile", "scott", "fd", "plugin", "wand", "knuth"):
        h = wb.histogram(s, rule=rule)
        assert (h.total_variation, h.epsilon(0.0)) == (0, 0)
        assert wb.compose_histogram(h, 3).epsilon(1e-5).value == 0
    band = wb.tradeoff_band(s)
    assert [b.value for b in (band.epsilon(0), band.mu(), band.total_variation())] == [0, 0, 0]
    assert wb.judge(s, "pure(0.1)").verdict != "refuted"
    assert "All scores equal" in s.samples.constant
    assert wb.GaussianPair(0).sample(5).samples.constant == ""
    assert "All scores equal" in as_text(FileAudit.of(s, [], 1e-5, 0.95))


@pytest.mark.parametrize("kind", CONSTANT)
def test_pages_draw_constant_scores(kind):
    s = CONSTANT[kind]()
    page = ScoresPage()
    page.adopt(s, "", Arrival.ANOTHER)
    settings = [{"bin_rule": rule} for rule in page.param.bin_rule.objects]
    settings += [{"fit_method": method} for method in page.param.fit_method.objects]
    settings += [{"reference_kind": "gaussian", "claim_kind": "gdp"}]
    if s.n_p > 8:
        settings += [{"ordering": "learned"}]
    for changed in settings:
        page.param.update(changed)
        drawn = {item.name: page.draw(item) for item in items(page)}
        assert drawn["epsilon"].value == drawn["mu"].value == drawn["histogram_tv"].value == 0
    assert "All scores equal" in page.constant()
    family = FamilyPage()
    family.adopt(s, "", Arrival.ANOTHER)
    for name in FAMILIES.values():
        family.family = name
        drawn = {item.name: family.draw(item) for item in items(family)}
        assert drawn["free_epsilon"].value == 0


def test_constant_tables_are_audited():
    member = np.random.default_rng(0).random((32, 5)) < 0.5
    table = wb.ScoreTable(np.zeros((32, 5)), member)
    assert table.worst_record(delta=1e-5).value == 0
    assert not table.exceeding(0.5, delta=1e-5).refuted.any()
    assert table.pooled(delta=1e-5).value == 0
