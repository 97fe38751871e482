"""What was promised: stated at import or on the page, kept with the data, and tested by name."""

import json
import re

import pytest
from helpers.pages import CSV, added
from helpers.visits import Reader, settle, tabs

import workbench as wb
from workbench.claims.pair import PairClaim
from workbench.claims.parse import parse_claim
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.core.session import PageSession
from workbench.pages.core.sliders import taken
from workbench.pages.importing.page import ImportPage
from workbench.pages.inputs.claims.stated import CLAIM, COMPOSED, KINDS, stated_values
from workbench.pages.inputs.data import example_key
from workbench.pages.scores.claimed.former import FORMER
from workbench.pages.scores.page import ScoresPage
from workbench.scores.examples import NAMES as EXAMPLES
from workbench.scores.examples import card
from workbench.workspaces.home import workspace
from workbench.workspaces.workspace import Workspace

TABLE = (("claims.csv", b"epsilon,delta\n0,0.4\n1,0.1\n4,1e-5\n"),)

#: A claim as text, and what charts call it.
NAMES = [
    ("approx(2, 1e-5)", "(2, 1e-5)"),
    ("approx(0.5, 0)", "(0.5, 0)"),
    ("approx(0.5, 0, unit=user, neighbors=substitute)", "(0.5, 0)"),
    ("pure(1)", "ε = 1"),
    ("gdp(0.75)", "μ = 0.75"),
    ("zcdp(0.5)", "ρ = 0.5"),
    ("renyi(8, 0.5)", "Rényi ε = 0.5 of order 8"),
    ("dpsgd(1.1, 0.02, 700)", "DP-SGD, σ = 1.1, q = 0.02, 700 steps"),
    ("laplace(0.5)", "Laplace, μ = 0.5"),
    (
        "dpsgd(1.1, 0.02, 700, relation=substitute)",
        "DP-SGD, σ = 1.1, q = 0.02, 700 steps, substitute",
    ),
    ("dpsgd(1, 0.01, 500) + dpsgd(2, 0.01, 500)", "DP-SGD in 2 phases"),
    ("10 * laplace(0.1)", "Laplace, μ = 0.1, 10 times"),
    ("subsampled-gaussian(0.2, 1)", "Subsampled Gaussian, q = 0.2, σ = 1"),
]


@pytest.fixture
def page():
    return ScoresPage(data=example_key("gaussian"))


def offered(page):
    return [c.name for s in page.controls for c in s.controls if c.offered(page)]


def said(page):
    """All that the page says: facts, sentences, keys and summaries of charts."""
    shown = [page.draw(item) for item in page.items() if item.kind != "figure"]
    figures = [page.draw(item) for item in page.figures()]
    return json.dumps([*map(str, shown), *figures], default=str, ensure_ascii=False)


# -- its name ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "short"), NAMES)
def test_a_claim_has_its_own_name_everywhere(page, text, short):
    page.param.update(stated_values(text))
    assert page.promised.text == text
    assert page.own_claim() == parse_claim(text)
    verdict = page.verdict()
    assert verdict.claim.short == short
    assert page.claim().note.startswith(f"your claim, {short} · ")
    assert f"the claim “{parse_claim(text)}” " in page.judged().replace("The claim", "the claim")
    for chart in (page.tradeoff(), page.profile(), page.mu_curve()):
        assert f"your claim, {short}" in [trace.get("name") for trace in chart["data"]]
    assert f"your claim, {short}, allows ε = " in page.profile()["layout"]["meta"]["summary"]
    assert "andomized response, ε" not in said(page)
    assert f"promised = {text!r}" in page.code({})


def test_every_kind_has_a_name_here():
    assert {stated_values(text)["claim_kind"] for text, *_ in NAMES} == KINDS.keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot read the claim"),
        ("dpsgd(1, 0.01)", "dpsgd takes (noise, rate, steps, relation=…)"),
        ("approx(1, 1e-5)", "state other claims by their own kind"),
        ("approx(1, 1e-5) + laplace(1)", "only pairs are composed"),
        ("dpsgd(0.1, 0.01, 5) + dpsgd(1, 0.01, 5)", "a noise multiplier from 0.3 to 100, got 0.1"),
        ("dpsgd(1, 0.01, 90000) + dpsgd(2, 0.01, 20000)", "steps in all from 0 to 100000"),
        ("20 * dpsgd(1, 0.01, 90000)", "steps in all from 0 to 100000"),
        ("2000 * laplace(0.1)", "releases in all from 0 to 1000, got 2000"),
        ("laplace(200)", "numbers from 0 to 20, got 200"),
        (" + ".join(["laplace(1)"] * 9), "at most 8 pairs, got 9"),
    ],
)
def test_text_of_releases_that_the_page_does_not_take_changes_nothing(page, text, words):
    page.claim_kind = COMPOSED
    before = page.claim_releases
    session = PageSession(page, (), lambda: None, lambda *later: None)
    session.assign("claim_releases", text, True)
    assert words in page.message
    assert page.claim_releases == before
    session.assign("claim_releases", "2 * laplace(0.5) + gaussian(1)", True)
    assert page.message == ""
    assert page.promised.text == "2 * laplace(0.5) + gaussian(1)"
    with pytest.raises(ValueError, match=re.escape(words)):
        page.claim_releases = text


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_has_the_fields_that_it_takes(page, kind):
    page.claim_kind = kind
    shown = [name for name in offered(page) if name in CLAIM]
    assert shown == [
        n for n in CLAIM if n.removeprefix("claim_") in ("kind", "fields", *KINDS[kind].arguments)
    ]


def test_the_page_and_judge_agree(page):
    page.param.update(stated_values("approx(2, 1e-5)"))
    judged = wb.judge(page.scores, "approx(2, 1e-5)")
    assert (page.verdict().verdict, page.verdict().p_value) == (judged.verdict, judged.p_value)
    assert page.judged() == judged.explain()


def test_a_pair_is_a_claim_by_text_only_where_the_text_says_all_of_it():
    fixed = wb.FixedBatchPair(2, 10, 1000, 100)
    with pytest.raises(ValueError, match=r"cannot show the claim no leakier than DP-SGD"):
        stated_values(PairClaim(fixed))
    with pytest.raises(ValueError, match=r"cannot show the claim no leakier than .* \+ DP-SGD"):
        stated_values(PairClaim(wb.ComposedPair([wb.LaplacePair(1), fixed])))
    assert stated_values(PairClaim(wb.DPSGDPair(1.0, 0.01, 10, "substitute"))) == {
        "claim_kind": "dpsgd",
        "claim_noise": 1.0,
        "claim_rate": 0.01,
        "claim_steps": 10,
        "claim_relation": "substitute",
        "claim_fields": "",
    }
    assert stated_values(PairClaim(wb.GaussianPair(2.0))) == {
        "claim_kind": "gdp",
        "claim_mu": 2.0,
        "claim_fields": "",
    }


# -- what it is about --------------------------------------------------------------------------


def test_fields_are_stated_on_the_page_and_change_no_number(page):
    page.param.update(stated_values("approx(1, 1e-5)"))
    before, numbers = page.verdict(), [str(page.draw(item)) for item in page.numbers()]
    page.claim_fields = 'unit=user, neighbors=bounded, boundary="model weights, public"'
    text = 'approx(1, 1e-5, unit=user, neighbors=substitute, boundary="model weights, public")'
    assert page.promised.text == text
    after = page.verdict()
    assert (after.verdict, after.p_value, after.bounds) == (
        *(before.verdict, before.p_value, before.bounds),
    )
    assert [str(page.draw(item)) for item in page.numbers()] == numbers
    assert page.judged().startswith(before.explain().partition("”")[0][:-1])
    assert page.judged().endswith("about all data of one user.")
    page.param.update(stated_values(text))
    assert page.promised.text == text
    page.param.update(stated_values("gdp(1)"))
    assert (page.promised.text, page.claim_fields) == ("gdp(1)", "")


def test_fields_that_are_none_change_nothing_on_the_page(page):
    page.param.update(stated_values("gdp(1, unit=user)"))
    session = PageSession(page, (), lambda: None, lambda *later: None)
    for text, words in (("size=3", "is no field of a claim"), ("model=cloud", "model must be one")):
        session.assign("claim_fields", text, True)
        assert words in page.message
        assert page.promised.text == "gdp(1, unit=user)"


def test_neighbors_of_dp_sgd_have_one_control(page):
    page.param.update(stated_values("dpsgd(1, 0.01, 100, unit=user)"))
    page.claim_fields = "unit=user, neighbors=substitute"
    assert page.promised.text == "dpsgd(1, 0.01, 100, unit=user)"
    page.claim_relation = "substitute"
    assert page.promised.text == "dpsgd(1, 0.01, 100, relation=substitute, unit=user)"


# -- its test ----------------------------------------------------------------------------------


def test_a_claim_is_refuted_or_not_and_none_is_neither(page):
    page.claim_kind = None
    assert (page.claim().text, page.judged(), page.verdict()) == ("–", "", None)
    page.param.update(claim_kind="gdp", claim_mu=0.5)
    assert page.claim().text == "refuted"
    page.claim_mu = 1.0
    assert page.claim().text == "not refuted"
    assert "would be refuted with probability 80%" in page.judged()
    page.confidence = 0.99
    assert "not valid: the confidence was changed after results were seen" in page.judged()


def test_a_claim_that_is_changed_after_looking_marks_nothing(page):
    assert page.epsilon().void is None
    page.param.update(claim_kind="gdp", claim_mu=0.5)
    assert page.judged()
    page.claim_mu = 0.25
    assert (page.looked, page.epsilon().void) == ("", None)
    assert "not valid" not in page.judged()


def test_the_claimed_delta_is_that_of_the_bound(page):
    page.param.update(claim_kind="approx", claim_delta=1e-7)
    assert page.epsilon().delta == 1e-7
    page.log_delta = -4.0  # one's own
    page.claim_epsilon = 3.0
    assert page.epsilon().delta == 1e-7  # the bound answers the claim again
    page.log_delta = -4.0
    page.claim_kind = "pure"
    assert page.epsilon().delta == 1e-4  # a claim without a δ moves none
    page.param.update(claim_kind="approx", claim_delta=0.0)
    assert page.epsilon().delta == 1e-4


def test_settings_that_are_restored_keep_their_delta(page):
    page.param.update(claim_kind="approx", claim_delta=1e-7)
    page.log_delta = -4.0
    again = ScoresPage()
    assert again.restore(json.loads(json.dumps(page.settings()))) == []
    assert (again.log_delta, again.claim_delta, again.claim().text) == (
        -4.0, 1e-7, page.claim().text,
    )  # fmt: skip


def test_an_uploaded_table_is_the_claim(page):
    page.claim_kind = "table"
    assert "claim_table" in offered(page)
    assert (page.own_claim(), page.claim().text) == (None, "–")  # awaited
    page.claim_table = TABLE
    assert page.message == ""
    assert page.own_claim().pair == wb.ProfileTablePair((0, 1, 4), (0.4, 0.1, 1e-5))
    assert page.claim().text == "refuted"
    assert "“no leakier than Table of 3 (ε, δ)”" in page.judged()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("claims.csv", b"", "'claims.csv' is empty"),
        ("claims.xlsx", b"PK", "claims.xlsx"),
        ("claims.csv", b"eps,delta\n1,0.1\n", "no column 'epsilon', only eps, delta"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,0.3\n", "row 2: δ rises from 0.1"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,none\n", "row 2: δ must lie in [0, 1], got nan"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,few\n", "row 2: δ must be a number, got 'few'"),
        ("claims.csv", b"epsilon,delta\n-1,0.1\n", "row 1: ε must lie in"),
    ],
)
def test_a_table_that_claims_nothing_is_refused_in_words(page, name, content, says):
    page.param.update(claim_kind="table", claim_table=((name, content),))
    assert says in page.message
    assert page.own_claim() is None
    for item in page.figures():
        assert page.draw(item)["layout"]["meta"]["summary"]
    page.claim_table = TABLE
    assert page.message == ""
    page.claim_table = TABLE * 2
    assert "2 files were given" in page.message


def test_the_reference_may_be_the_claim(page):
    page.param.update(reference_kind="gaussian", reference_mu=0.5, claim_kind="reference")
    assert page.claim().text == "refuted"
    assert "“no leakier than Gaussian, μ = 0.5”" in page.judged()
    names = [one.style.name for one in page.compared()]
    assert names == ["your claim, Gaussian, μ = 0.5"]  # one curve, drawn once
    page.reference_mu = 3.5
    assert page.claim().text == "not refuted"
    page.reference_kind = None
    assert page.claim().text == "–"


# -- claims that cannot be ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("epsilon", -1, "Claimed ε must be at least 0; got -1"),
        ("epsilon", "2 eps", "Claimed ε must be a number; got '2 eps'"),
        ("epsilon", float("nan"), "Claimed ε must be finite; got nan"),
        ("epsilon", 1001, "Claimed ε must be at most 1,000; got 1,001"),
        ("delta", 1, "Claimed δ must be below 1; got 1"),
        ("delta", -1e-9, "Claimed δ must be at least 0; got -1e-09"),
        ("mu", -0.1, "Claimed μ must be at least 0; got -0.1"),
        ("order", 1, "Claimed Rényi order must be above 1; got 1"),
        ("noise", 0, "Noise multiplier must be at least 0.3; got 0"),
        ("rate", 0, "Sampling rate must be above 0; got 0"),
        ("rate", 1.5, "Sampling rate must be at most 1; got 1.5"),
        ("steps", 0.5, "Steps must be a whole number; got 0.5"),
        ("steps", 0, "Steps must be at least 1; got 0"),
    ],
)
def test_a_claim_that_cannot_be_is_refused_at_the_control(page, name, value, says):
    with pytest.raises(ValueError, match="must be") as error:
        taken(page.param[f"claim_{name}"], value, typed=True)
    assert str(error.value) == says
    drawn = page.tradeoff()["layout"]["meta"]["summary"]
    with pytest.raises(ValueError, match=f"claim_{name}"):
        setattr(page, f"claim_{name}", value)
    assert page.tradeoff()["layout"]["meta"]["summary"] == drawn


def test_a_claim_that_is_refused_in_a_browser_changes_nothing_and_is_said():
    bench = VisitorSession(Workspace(), tabs("scores"), lambda *call: None)
    reader = Reader(bench)
    page = bench.pages.live("scores").page
    before = page.settings()
    reader.on("scores", kind="set", name="claim_epsilon", value=-2, typed=True)
    assert "Claimed ε must be at least 0" in page.message
    assert page.settings() == before
    bench.end()


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("2 eps", r"cannot read the claim '2 eps'; write one of approx\(2, 1e-5\)"),
        ("approx(2 eps, 1e-5)", "epsilon must be a number, got '2 eps'"),
        ("approx(-1, 1e-5)", "epsilon must be at least 0, got -1"),
        ("approx(2, 1)", r"delta must lie in \[0, 1\), got 1"),
        (wb.DiscreteGaussianPair(2.0), "the controls cannot show the claim no leakier"),
        (7, "claim must be a claim or a pair, got 7"),
    ],
)
def test_python_refuses_the_same_claims(claim, says):
    for function in (wb.explore, wb.audit):
        with pytest.raises(ValueError, match=says):
            function(wb.example("gaussian"), claim=claim)


def test_a_page_that_tests_no_claim_says_so():
    for function in (wb.explore, wb.audit):
        with pytest.raises(ValueError, match="tests no claim; give scores"):
            function(wb.Counts(tp=90, fp=4, tn=96, fn=10), claim="pure(1)")


# -- from Python -------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["approx(2, 1e-6)", wb.ApproxDP(2, 1e-6)])
def test_explore_and_audit_take_a_claim(claim):
    scores = wb.example("gaussian")
    view = wb.explore(scores, claim=claim)
    assert (view.claim.text, view.epsilon.delta, view.claim_epsilon) == ("refuted", 1e-6, 2.0)
    assert wb.explore(scores, spec=view.spec()).spec() == view.spec()
    (verdict,) = wb.audit(scores, claim=claim).verdicts
    assert (verdict["claim"], verdict["verdict"]) == ("approx(2, 1e-6)", "refuted")
    view.close()


def test_a_mechanism_is_explored_with_a_claim():
    view = wb.explore(wb.mechanism("svt3"), claim="pure(2)")
    assert (view.claim_kind, view.page.epsilon) == ("pure", 2.0)
    view.close()


# -- claims of earlier versions ------------------------------------------------------------------


def test_a_reference_of_an_earlier_version_that_was_a_claim_is_one_now():
    view = wb.explore(wb.example("gaussian"))
    with pytest.warns(FutureWarning, match="reference_kind is now set by claim_kind"):
        view.reference_kind = "claimed-approx"
    with pytest.warns(FutureWarning, match="reference_claimed_epsilon is now set by claim_epsil"):
        view.reference_claimed_epsilon = 0.5
    with pytest.warns(FutureWarning, match="set by claim_delta"):
        view.reference_log_claimed_delta = -7.0
    assert view.page.promised.text == "approx(0.5, 1e-7)"
    assert (view.reference_kind, view.claim.text) == (None, "refuted")
    view.close()


@pytest.mark.parametrize(
    ("former", "text"),
    [
        ({"reference_kind": "claimed-mu", "reference_mu": 2.0}, "gdp(2)"),
        ({"reference_kind": "claimed-mu"}, "gdp(1)"),
        ({"reference_kind": "claimed-renyi"}, "renyi(8, 1)"),
        ({"reference_kind": "claimed-renyi", "reference_order": 4.0,
          "reference_claimed_epsilon": 3.0}, "renyi(4, 3)"),
        ({"reference_kind": "claimed-approx", "reference_log_claimed_delta": -3.0},
         "approx(1, 0.001)"),
    ],
)  # fmt: skip
def test_a_spec_of_an_earlier_version_opens_with_its_claim(former, text):
    view = wb.explore(wb.example("gaussian"), spec=former)
    assert (view.page.promised.text, view.reference_kind) == (text, None)
    view.close()


def full(**settings):
    """Settings of an earlier version, which had all of them."""
    page = ScoresPage(data=example_key("gaussian"))
    now = {k: v for k, v in page.settings().items() if k not in (*CLAIM, "claim_table")}
    before = {"reference_claimed_epsilon": 1.0, "reference_log_claimed_delta": -5.0,
              "reference_order": 8.0, "reference_table": []}  # fmt: skip
    return now | before | settings


def test_every_reference_of_an_earlier_version_was_tested_and_still_is():
    assert FORMER.keys() <= full().keys()
    page = ScoresPage()
    assert page.restore(full(reference_kind="Laplace", reference_mu=0.25)) == []
    assert page.own_claim() == PairClaim(wb.LaplacePair(0.25))
    assert page.claim().text == "refuted"
    other = ScoresPage()
    assert other.restore(full(reference_kind="none")) == []
    assert other.reference_kind is None


# -- kept with the data --------------------------------------------------------------------------


def imported(own, **claim):
    step = ImportPage(own)
    step.upload = (("two.csv", CSV.encode()),)
    step.param.update(claim)
    step.accept = True
    assert step.message == ""
    return own.dataset(step.accepted)


def test_the_import_step_asks_what_was_promised_and_keeps_it():
    own = Workspace()
    step = ImportPage(own)
    assert "claim_kind" not in offered(step)
    step.upload = (("two.csv", CSV.encode()),)
    assert "claim_kind" in offered(step)
    assert step.param.claim_kind.label == "What was promised?"
    assert step.claim_kind is None  # nothing yet
    dataset = imported(own, claim_kind="approx", claim_epsilon=2.0, claim_delta=1e-6)
    assert dataset.claim == "approx(2, 1e-6)"
    assert dataset.claim in dataset._repr_html_()
    page = ScoresPage(workspace=own)
    page.follow(dataset.key)
    assert (page.promised.text, page.epsilon().delta) == (dataset.claim, 1e-6)
    assert page.verdict().claimed == dataset.claim
    page.data = example_key("digits-losses")
    assert page.claim_kind is None  # nothing was promised of these


def test_nothing_promised_is_nothing_kept_and_nothing_tested():
    own = Workspace()
    page = ScoresPage(workspace=own)
    dataset = imported(own)
    page.follow(dataset.key)
    assert (dataset.claim, page.claim().text) == ("", "–")


def test_a_data_set_that_is_opened_again_proposes_its_claim():
    own = Workspace()
    dataset = imported(own, claim_kind="gdp", claim_mu=0.5)
    step = ImportPage(own)
    step.upload = (("two.csv", CSV.encode()),)
    assert step.promised.text == "gdp(0.5)"
    page = ScoresPage(workspace=own)
    page.follow(dataset.key)
    again = ImportPage(own, dataset=dataset.key)
    assert again.promised.text == "gdp(0.5)"
    again.claim_mu = 0.75
    again.accept = True
    assert own.dataset(dataset.key).claim == "gdp(0.75)"
    page.refresh()
    assert page.promised.text == "gdp(0.75)"
    assert page.epsilon().void is None


def test_a_plan_that_fixes_a_claim_sets_it_at_import():
    own = Workspace()
    plan = wb.plan("release", "losses", claim="approx(3, 1e-5)", workspace=own)
    dataset = imported(own, plan=plan.sha256)
    assert dataset.claim == "approx(3, 1e-5)"


@pytest.mark.parametrize("bad", ["2 eps", "approx(2, 1)", 7])
def test_a_text_that_is_no_claim_is_not_kept(bad):
    own = Workspace()
    dataset = added(own, ("two.csv", CSV))
    with pytest.raises((ValueError, TypeError)):
        own.kept.promise(dataset.key, bad)
    with pytest.raises(wb.WorkspaceError, match="cannot be changed"):
        own.kept.promise(example_key("gaussian"), "pure(1)")
    assert own.dataset(dataset.key).claim == ""


def test_a_claim_that_the_controls_cannot_show_is_said():
    own = Workspace()
    dataset = added(own, ("two.csv", CSV))
    own.kept.promise(dataset.key, "dpsgd(0.1, 0.01, 10)")
    page = ScoresPage(workspace=own)
    page.follow(dataset.key)
    assert page.claim_kind is None
    assert "the controls take a noise multiplier from 0.3 to 100, got 0.1" in page.message


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "own"


def visit(own):
    return VisitorSession(own, tabs("scores", "family"), lambda *call: None)


def test_a_claim_of_a_person_is_kept_across_a_restart_and_seen_by_other_programs(folder):
    own = workspace(folder)
    dataset = imported(own, claim_kind="gdp", claim_mu=0.5)
    own.active.choose(dataset.key)
    bench = visit(own)
    reader = Reader(bench)
    reader.sets("scores", "claim_mu", 0.75)
    assert own.dataset(dataset.key).claim == "gdp(0.75)"
    other = workspace(folder)  # another program, such as a notebook
    assert other.dataset(dataset.key).claim == "gdp(0.75)"
    other.kept.promise(dataset.key, "approx(2, 1e-6)")
    other.close()
    bench.end()
    own.close()
    own = workspace(folder)
    bench = visit(own)
    page = bench.pages.live("scores").page
    assert (page.promised.text, page.data_key) == ("approx(2, 1e-6)", dataset.key)
    bench.end()
    own.close()


def test_undo_takes_back_a_claim_of_the_data_set(folder):
    own = workspace(folder)
    dataset = imported(own, claim_kind="gdp", claim_mu=0.5)
    own.active.choose(dataset.key)
    bench = visit(own)
    reader = Reader(bench)
    page = bench.pages.live("scores").page
    reader.sets("scores", "claim_mu", 0.75)
    reader.does("undo")
    settle(bench)
    assert (page.promised.text, own.dataset(dataset.key).claim) == ("gdp(0.5)", "gdp(0.5)")
    reader.does("redo")
    settle(bench)
    assert (page.promised.text, own.dataset(dataset.key).claim) == ("gdp(0.75)", "gdp(0.75)")
    bench.end()
    own.close()


def test_a_table_and_a_reference_as_claims_come_back_with_the_page(folder):
    own = workspace(folder)
    dataset = imported(own)
    own.active.choose(dataset.key)
    bench = visit(own)
    reader = Reader(bench)
    reader.sets("scores", "reference_kind", "Laplace")
    reader.sets("scores", "claim_kind", "no more leakage than the reference")
    bench.end()
    bench = visit(own)
    assert bench.pages.live("scores").page.own_claim() == PairClaim(wb.LaplacePair(1.0))
    assert own.dataset(dataset.key).claim == ""
    bench.end()
    own.close()


def test_a_claim_stays_with_data_that_are_renamed_removed_and_read_again():
    own = Workspace()
    dataset = imported(own, claim_kind="pure", claim_epsilon=1.5)
    own.kept.rename(dataset.key, "another name")
    own.kept.remove(dataset.key)
    own.kept.restore(dataset.key)
    assert own.dataset(dataset.key).claim == "pure(1.5)"


def test_data_that_others_lend_keep_their_claim_and_ones_own_is_of_the_page():
    base = Workspace()
    dataset = imported(base, claim_kind="pure", claim_epsilon=1.5)
    own = Workspace(base=base)
    own.active.choose(dataset.key)
    bench = visit(own)
    reader = Reader(bench)
    page = bench.pages.live("scores").page
    assert page.promised.text == "pure(1.5)"
    reader.sets("scores", "claim_epsilon", 0.5)
    assert base.dataset(dataset.key).claim == "pure(1.5)"
    assert page.promised.text == "pure(0.5)"
    bench.end()
    bench = visit(own)
    assert bench.pages.live("scores").page.promised.text == "pure(0.5)"
    bench.end()


def test_examples_come_with_claims_that_can_be_read():
    stated = {name: card(name).claim for name in EXAMPLES if card(name).claim}
    assert stated["subsampled-gaussian"] == "approx(2, 1e-5)"
    for text in stated.values():
        assert str(parse_claim(text)) == text
