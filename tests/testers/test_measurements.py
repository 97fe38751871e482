"""Objects that state domain, metric and privacy map are audited as they are, also OpenDP's."""

import numpy as np
import pytest

import workbench as wb
from workbench.cli import main

QUICK = {"testers": ("histogram",), "samples": 500, "trials": 2}


class Stated:
    """What OpenDP's domains, metrics and measures are to the workbench: text, and attributes."""

    def __init__(self, text, **more):
        self.__dict__.update(text=text, **more)

    def __str__(self):
        return self.text


class Measurement:
    """A sum of whole numbers in [0, 10] with Laplace noise, as lists only."""

    def __init__(self, metric="SymmetricDistance()", measure="MaxDivergence", loss=1.0, **domain):
        atom = Stated("AtomDomain(T=i32)", bounds=(0, 10))
        known = {"size": None, "carrier_type": "Vec<i32>", "element_domain": atom, **domain}
        self._parts = Stated("VectorDomain(...)", **known), Stated(metric), Stated(measure), loss

    input_domain = property(lambda self: self._parts[0])
    input_metric = property(lambda self: self._parts[1])
    output_measure = property(lambda self: self._parts[2])

    def map(self, d_in):
        if self._parts[1].text.endswith("f64)") and not isinstance(d_in, float):
            raise TypeError("expected f64")
        return self._parts[3]

    def __call__(self, arg):
        assert isinstance(arg, list)
        assert all(type(one) is int for one in arg)
        return sum(arg) + np.random.laplace(scale=0.1)  # noqa: NPY002


def test_claim_relation_and_domain_are_those_of_the_measurement():
    own = wb.mechanism_from(Measurement())
    assert own.claim == wb.PureDP(1)
    assert own.neighboring_relation == "add-remove"
    assert own.domain == wb.Domain(high=10, integer=True)
    audit = wb.audit_mechanism(Measurement(), **QUICK)
    assert audit.violation
    assert not audit.errors
    assert "noise comes from the operating system" in audit.explain()


@pytest.mark.parametrize(
    ("measure", "loss", "claim"),
    [
        ("MaxDivergence", 2.0, wb.PureDP(2)),
        ("MaxDivergence", float("inf"), None),
        ("Approximate(MaxDivergence)", (1.5, 1e-6), wb.ApproxDP(1.5, 1e-6)),
        ("FixedSmoothedMaxDivergence(f64)", (1.5, 0.0), wb.PureDP(1.5)),
        ("ZeroConcentratedDivergence", 0.5, wb.ZCDP(0.5)),
        ("SmoothedMaxDivergence", object(), None),
        ("RenyiDivergence", lambda order: order, None),
    ],
)
def test_the_measure_says_what_the_map_claims(measure, loss, claim):
    assert wb.mechanism_from(Measurement(measure=measure, loss=loss)).claim == claim


@pytest.mark.parametrize(
    ("metric", "relation"),
    [
        ("SymmetricDistance()", "add-remove"),
        ("InsertDeleteDistance()", "add-remove"),
        ("ChangeOneDistance()", "substitute"),
        ("HammingDistance()", "substitute"),
        ("L1Distance(f64)", "stated"),
        ("AbsoluteDistance(f64)", "stated"),
        ("FrameDistance(...)", None),
    ],
)
def test_the_metric_says_which_datasets_are_neighbors(metric, relation):
    own = wb.mechanism_from(Measurement(metric=metric))
    assert own.neighboring_relation == relation
    assert own.claim == (None if relation is None else wb.PureDP(1))
    assert (own.domain is None) == (relation == "stated")


def test_a_domain_of_one_size_proposes_datasets_of_that_size():
    own = wb.mechanism_from(Measurement(metric="HammingDistance()", size=4))
    assert (own.domain.min_records, own.domain.max_records) == (4, 4)


def test_a_dataset_that_the_domain_cannot_carry_is_named():
    halves = np.array([0.5, 1.0]), np.array([0.5])
    audit = wb.audit_mechanism(Measurement(), None, halves, **QUICK)
    assert "it takes lists of i32, and the dataset has" in next(iter(audit.errors.values()))


def test_stated_neighbors_are_asked_for():
    with pytest.raises(ValueError, match="neighbors that are stated cannot be searched for"):
        wb.audit_mechanism(Measurement(metric="L1Distance(i32)"), **QUICK)


# -- OpenDP ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dp():
    module = pytest.importorskip("opendp.prelude")
    module.enable_features("contrib", "honest-but-curious")
    return module


def noisy_sum(dp, scale=10.0):
    space = dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance()
    return space >> dp.t.then_sum() >> dp.m.then_laplace(scale=scale)


def test_a_measurement_of_opendp_is_tested_straight(dp):
    audit = wb.audit_mechanism(noisy_sum(dp), trials=1, samples=2000)
    assert str(audit.claim) == "pure(1)"
    assert audit.verdict == "none found"
    assert not audit.errors
    lower = wb.audit_mechanism(noisy_sum(dp), "pure(0.1)", ([10, 5], [5]), trials=1, samples=2000)
    assert lower.violation


def test_claims_of_opendp(dp):
    real, distance = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian = wb.mechanism_from(dp.m.make_gaussian(real, distance, scale=1.0))
    assert (str(gaussian.claim), gaussian.neighboring_relation) == ("zcdp(0.5)", "stated")
    approximate = dp.c.make_fix_delta(
        dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(real, distance, scale=1.0)), 1e-6
    )
    claim = wb.mechanism_from(approximate).claim
    assert claim.parameters["delta"] == 1e-6
    assert claim.parameters["epsilon"] == pytest.approx(5.22153444453)
    coin = wb.mechanism_from(dp.m.make_randomized_response_bool(0.75))
    assert coin.claim.parameters["epsilon"] == pytest.approx(np.log(3))
    audit = wb.audit_mechanism(
        dp.m.make_laplace(real, distance, scale=1.0), None, (0.0, 1.0), trials=1, samples=1000
    )
    assert (audit.verdict, str(audit.claim)) == ("none found", "pure(1)")


FILE = """
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance()
measurement = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.0)
"""


def test_other_processes_find_a_measurement_by_name(dp, tmp_path):
    with pytest.raises(ValueError, match="each process finds by name"):
        wb.audit_mechanism(noisy_sum(dp), trials=1, samples=500, time_limit=60)
    (tmp_path / "release.py").write_text(FILE)
    named = wb.find_mechanism("release.py:measurement", tmp_path)
    assert str(named.adapted.claim) == "pure(1)"
    audit = wb.audit_mechanism(named, trials=1, samples=500, time_limit=60)
    assert audit.verdict == "none found"


def test_the_command_line_tests_a_measurement_without_a_claim(dp, tmp_path, capsys):
    (tmp_path / "release.py").write_text(FILE)
    target = f"{tmp_path / 'release.py'}:measurement"
    status = main(["test", target, "--trials=1", "--samples=1000", "--time-limit=0"])
    assert status in (0, 3)
    assert "against the claim pure(1)" in capsys.readouterr().out


def test_the_page_runs_a_measurement_in_this_process(dp):
    view = wb.explore_mechanism(noisy_sum(dp), trials=1, log_samples=3.0)
    assert "claims pure(1)" in view.page.described()
    assert "without a time limit" in view.page.described()
    assert (view.page.relation, view.page.high, view.page.integer) == ("add-remove", 10.0, True)
    found = view.search()
    assert found.verdict == "none found"
