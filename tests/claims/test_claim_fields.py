"""Fields of a claim: stated in Python and as text, kept everywhere, and said in verdicts."""

import json
import pickle
from dataclasses import dataclass
from datetime import UTC, datetime

import jsonschema
import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.audits.deviations import _same_claim
from workbench.audits.plan import RegisteredPlan
from workbench.claims.fields import NAMES, read_fields
from workbench.claims.pair import PairClaim
from workbench.claims.parse import CLAIMS, parse_claim, text_of
from workbench.testers.serialization import plain, revived
from workbench.testing import check_claim

ALL = {
    "unit": "user-day",
    "neighbors": "substitute",
    "mechanism": "discrete Gaussian (σ = 3), clipped",
    "accountant": "zCDP",
    "model": "central",
    "boundary": "a table + a model, public",
}
TEXTS = (*(kind.example for kind in CLAIMS), "laplace(1)", "10 * laplace(0.1)", "gaussian(2)")
SCORES = wb.GaussianPair(1).sample(2000, seed=0)


@pytest.mark.parametrize("text", TEXTS)
def test_fields_go_through_text_pickle_and_saved_searches(text):
    claim = parse_claim(text).with_fields(**ALL)
    assert claim.fields.given == ALL
    assert parse_claim(text_of(claim)) == claim
    assert text_of(parse_claim(text_of(claim))) == text_of(claim)
    assert pickle.loads(pickle.dumps(claim)) == claim
    if not isinstance(claim, PairClaim):
        assert revived(json.loads(json.dumps(plain(claim)))) == claim
        check_claim(claim)


@pytest.mark.parametrize("text", TEXTS)
def test_claims_with_other_fields_are_other_claims_with_the_same_numbers(text):
    claim = parse_claim(text)
    stated = claim.with_fields(unit="user")
    assert stated != claim
    assert stated.with_fields(unit="") == claim
    assert hash(stated.with_fields(unit="")) == hash(claim)
    assert stated.parameters == claim.parameters
    assert stated.short == claim.short
    assert stated.max_delta(0.5) == claim.max_delta(0.5)
    assert str(claim) in (str(stated).partition(", unit")[0] + ")", str(stated).partition(" (")[0])
    assert repr(stated) == f"{claim!r}.with_fields(unit='user')"
    if claim.parameter is not None:
        assert stated.with_parameter(3.0).fields == stated.fields


def test_a_claim_without_fields_has_the_text_that_it_had():
    assert str(wb.ApproxDP(1, 1e-5)) == "approx(1, 1e-5)"
    assert repr(wb.RenyiDP(8, 0.5)) == "RenyiDP(order=8.0, epsilon=0.5)"
    assert repr(wb.ZCDP(0.5)) == "ZCDP(rho=0.5)"
    assert str(PairClaim(wb.LaplacePair(1))) == "no leakier than Laplace, μ = 1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("approx(1, 1e-5, unit=)", "unit stands without a value"),
        ('approx(1, 1e-5, unit="user)', "unit stands without a value"),
        ("approx(1, 1e-5, unit=a, unit=b)", "unit stands twice"),
        ("approx(1, 1e-5, size=3)", "and the fields unit, neighbors, mechanism, accountant"),
        ("gdp(1, model=cloud)", "model must be one of 'central', 'local', 'shuffle', 'federated'"),
        ("gdp(1, neighbors=near)", "neighbors must be one of 'add-remove', 'substitute'"),
        ("dpsgd(1, 0.01, 10, neighbors=bounded)", "which is accounted for add-remove"),
        (f"gdp(1, unit={'x' * 201})", "at most 200 printable characters"),
    ],
)
def test_what_is_no_field_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        parse_claim(text)


@pytest.mark.parametrize("value", ['a "quoted" word', "a\x00b", "\ud800", "x" * 201])
@pytest.mark.parametrize("name", ["unit", "mechanism", "accountant", "boundary"])
def test_values_that_no_text_or_database_can_hold_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be at most 200 printable characters"):
        wb.ClaimFields(**{name: value})


def test_words_of_the_standard_for_neighbors_are_read():
    for said, kept in (
        *(("bounded", "substitute"), ("substitution", "substitute"), ("unbounded", "add-remove")),
        *(("Add_Remove", "add-remove"), ("add remove", "add-remove"), ("", "")),
    ):
        assert wb.ClaimFields(neighbors=said).neighbors == kept
    assert wb.ClaimFields(model="Central").model == "central"
    assert read_fields("").given == {}
    with pytest.raises(ValueError, match="is no field of a claim"):
        read_fields("a user")


def test_claims_of_plug_ins_carry_fields_whatever_they_are():
    class Plain(wb.GDP):
        """A claim that is no dataclass of its own."""

    @dataclass(frozen=True)
    class Own(wb.Claim):
        """A claim with its own parameter; abstract methods are not asked."""

        __abstractmethods__ = frozenset()
        size: float

        @property
        def parameters(self):
            return {"size": self.size}

    Own.__abstractmethods__ = frozenset()
    assert Own(1.0) != Own(2.0)
    assert Own(1.0).with_fields(unit="user") != Own(1.0)
    assert hash(Own(1.0).with_fields(unit="user").with_fields(unit="")) == hash(Own(1.0))
    assert Plain(1.0).with_fields(unit="user").fields.unit == "user"
    assert Plain(1.0) != Plain(2.0)


# -- verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["approx(0.1, 1e-5)", "gdp(1)", "gdp(0.5)"])
@pytest.mark.parametrize("guarantee", ["simultaneous", "one question"])
def test_no_verdict_depends_on_fields(text, guarantee):
    bare = wb.judge(SCORES, text, guarantee=guarantee)
    said = wb.judge(SCORES, parse_claim(text).with_fields(**ALL), guarantee=guarantee)
    known, now = bare.to_dict(), said.to_dict()
    assert "fields" not in known
    assert now.pop("fields") == ALL
    for changed in ("claim", "explanation"):
        assert known.pop(changed) != now.pop(changed)
    assert known == now
    assert said.bounds == bare.bounds


def test_a_verdict_says_where_the_claim_is_about_something_else():
    def said(**fields):
        return wb.judge(SCORES, wb.GDP(1).with_fields(**fields)).explain()

    bare = wb.judge(SCORES, "gdp(1)").explain()
    for fields in ({"unit": "record"}, {"neighbors": "add-remove"}, {"model": "local"}):
        text = str(wb.GDP(1).with_fields(**fields))
        assert said(**fields) == bare.replace("gdp(1)", text)
    assert "judged as if the scores without the user came from data with another in its place" in (
        said(unit="user", neighbors="substitute")
    )
    assert said(unit="household").endswith("as if each score were about all data of one household.")


def test_an_audit_that_knows_its_game_compares_it():
    claim = wb.GDP(1).with_fields(unit="user", neighbors="add-remove")
    assert claim.differences("user", "add-remove") == ()
    assert claim.differences("User-level", "add-remove") == ()
    (unit,) = claim.differences("record", "add-remove")
    assert "the verdict carries over where that is all data of one user" in unit
    (relation,) = claim.differences("user", "substitute")
    assert "(2ε, (1 + e^ε) δ)-DP" in relation
    (swapped,) = wb.GDP(1).with_fields(neighbors="substitute").differences("row", "add-remove")
    assert "another record stood in the place of what was left out" in swapped
    (group,) = wb.GDP(1).with_fields(unit="record").differences("user", "add-remove")
    assert "what k steps allow" in group
    assert wb.GDP(1).differences("user", "substitute") == ()
    sgd = parse_claim("dpsgd(1, 0.01, 10)")
    assert len(sgd.differences("record", "substitute")) == 1
    assert sgd.differences() == ()


def test_twice_a_step_is_what_the_sentence_says():
    # (ε, δ) by adding or removing, at its edge in both steps: e^ε δ + δ is left at 2ε.
    pair, twice = wb.RandomizedResponsePair(1.0, 0.01), wb.RandomizedResponsePair(2.0, 0.01 * 3.72)
    assert twice.delta_0 > (1 + 2.718281828459045) * 0.01
    assert twice.delta(2.0) >= pair.delta(1.0) * (1 + 2.718281828459045) - 1e-12


@pytest.mark.parametrize(
    ("relation", "said"),
    [("substitute", "which is two such steps"), ("add-remove", "")],
)
def test_a_search_compares_the_neighbors_that_it_tests(relation, said):
    def noisy(data, rng):
        return sum(data) + rng.laplace(0, 5)

    audit = wb.audit_mechanism(
        noisy,
        wb.PureDP(1).with_fields(unit="record", neighbors="add-remove"),
        neighboring_relation=relation,
        trials=1,
        samples=600,
        seed=0,
    )
    assert ("which is two such steps" in audit.explain()) == bool(said)
    assert "unit=record" in audit.explain()


# -- kept ------------------------------------------------------------------------------------------


def test_a_plan_keeps_fields_and_other_fields_deviate():
    claim = str(wb.ApproxDP(1, 1e-5).with_fields(**ALL))
    stored = datetime(2026, 1, 1, tzinfo=UTC)
    plan = RegisteredPlan("release", "the nightly run", stored, claim=claim)
    assert parse_claim(RegisteredPlan.from_dict(plan.to_dict()).claim).fields.given == ALL
    assert _same_claim("gaussian(1, unit=user)", "gdp(1, unit=user)")
    assert not _same_claim("gdp(1)", "gdp(1, unit=user)")


def test_the_card_and_the_reports_have_the_fields(tmp_path):
    claim = wb.ApproxDP(1, 1e-5).with_fields(**ALL)
    audit = wb.audit(wb.example("gaussian"), claim=claim)
    card = audit.to_dict()
    jsonschema.validate(json.loads(json.dumps(card)), wb.card_schema())
    assert card["verdicts"][0]["fields"] == ALL
    again = type(audit).from_dict(json.loads(json.dumps(card)))
    assert again.to_dict() == card
    for ending in ("html", "md"):
        text = audit.report(tmp_path / f"audit.{ending}").read_text(encoding="utf-8")
        for label in ("Unit of privacy", "Neighboring relation", "Trust model", "Boundary"):
            assert label in text, (ending, label)
        assert "discrete Gaussian" in text


def test_a_card_without_fields_is_as_before():
    card = wb.audit(wb.example("gaussian"), claim="approx(1, 1e-5)").to_dict()
    jsonschema.validate(json.loads(json.dumps(card)), wb.card_schema())
    assert "fields" not in card["verdicts"][0]
    fields = wb.card_schema()["$defs"]["verdict"]["properties"]["fields"]
    assert tuple(fields["properties"]) == NAMES
    assert "fields" not in wb.card_schema()["$defs"]["verdict"]["required"]


@pytest.mark.parametrize(("design", "said"), [("fair-coins", True), ("matched-pairs", False)])
def test_a_verdict_from_guesses_knows_its_neighbors(design, said):
    guesses = wb.Guesses(1000, 100, 95, design=design)
    claim = wb.ApproxDP(1, 1e-5).with_fields(unit="record", neighbors="substitute")
    text = wb.judge_guesses(guesses, claim).explain()
    assert ("stood in the place of what was left out" in text) == said
    assert wb.judge_guesses(guesses, "approx(1, 1e-5)").p_value == (
        wb.judge_guesses(guesses, claim).p_value
    )


def test_the_audit_of_a_synthetic_table_knows_its_unit():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"who": np.arange(200) // 2, "age": rng.normal(50, 10, 200)})
    train, holdout = wb.synthetic.split_by_coin(table, unit="who", seed=1)
    claim = "approx(1, 1e-5, unit=who, neighbors=add-remove)"
    audit = wb.SyntheticAudit(train, holdout, train, unit="who", claim=claim, seed=2)
    bare = audit.judge("approx(1, 1e-5)").explain()
    assert audit.judge().explain() == bare.replace("approx(1, 1e-5)", claim)
    assert "the audit about one who" in audit.judge("gdp(1, unit=household)").explain()
