"""The headline of the scores page: what it says in every case, and with which evidence."""

import numpy as np
import pytest

import workbench as wb
from workbench.bounds.power.judge import judge
from workbench.pages.scores.answer import not_refuting_evidence, refuting_evidence

MEMBERS = np.r_[np.full(39, 0.0004), np.full(2961, 1.0)]
OTHERS = np.r_[np.full(2, 0.0004), np.full(2998, 1.0)]


def page_of(members, others, **options):
    return wb.explore(wb.Scores(members, others, **options)).page


def test_what_refutes_a_claim_are_the_counts_at_the_refuting_threshold():
    scores = wb.Scores(MEMBERS, OTHERS, larger_is_member=False)
    verdict = judge(scores, "approx(0.2, 1e-5)")
    assert verdict.refuted
    w = verdict.witness
    assert (w.true_positives, w.false_positives) == (39, 2)
    assert refuting_evidence(verdict) == (
        "39 of 3,000 members but 2 of 3,000 non-members fall below "
        f"{w.threshold:.3g}; ε ≥ {verdict.bounds[0].rounded} at δ = 1e-5, 95%"
    )
    mirrored = judge(wb.Scores(-MEMBERS, -OTHERS), "approx(0.2, 1e-5)")
    assert "39 of 3,000 members but 2 of 3,000 non-members score above -" in (
        refuting_evidence(mirrored)
    )


def test_a_pair_is_refuted_by_a_true_positive_rate_beyond_what_it_allows():
    verdict = judge(wb.Scores(MEMBERS, OTHERS, larger_is_member=False), wb.GaussianPair(0.1))
    assert verdict.refuted
    bound, allowed = verdict.bounds[0], 1 - verdict.witness.claimed_fnr
    assert bound.quantity == "tpr"
    assert refuting_evidence(verdict).startswith("39 of 3,000 members but 2 of 3,000 non-members")
    said = f"TPR ≥ {bound.rounded} at FPR {bound.fpr:.3g}, 95%; the claim allows 0."
    assert said in refuting_evidence(verdict)
    assert float(refuting_evidence(verdict).rpartition(" ")[2]) == pytest.approx(allowed, rel=0.02)


def test_what_does_not_refute_it_tells_what_would_have_been_detected():
    rng = np.random.default_rng(3)
    verdict = judge(wb.Scores(rng.normal(size=4000), rng.normal(size=4000)), "approx(1, 1e-5)")
    assert verdict.verdict == "not refuted"
    least = verdict.power[0].least
    assert not_refuting_evidence(verdict) == (
        f"{least} would have been detected (80% power, 95% confidence)"
    )
    few = judge(wb.Scores(rng.normal(size=9), rng.normal(size=9)), "approx(3, 1e-5)")
    assert few.verdict == "too few samples"
    assert not_refuting_evidence(few) == f"{few.summary}; 95% confidence"


def test_without_a_claim_it_tells_what_is_shown():
    page = page_of(MEMBERS, OTHERS, larger_is_member=False)
    answer = page.answer()
    assert answer.words == f"Leaks at least ε = {page.epsilon().rounded}"
    assert answer.tone == "bad"
    assert answer.evidence == (
        "at δ = 1e-5, 95% confidence; state what was promised to have it tested"
    )


def test_no_leak_shown_is_no_proof_of_none():
    rng = np.random.default_rng(4)
    answer = page_of(rng.normal(size=300), rng.normal(size=300)).answer()
    assert (answer.words, answer.tone) == ("No leak shown", "open")
    assert answer.evidence == "ε ≥ 0 at δ = 1e-5, 95%; a leak may exist nevertheless"


def test_scores_that_are_all_equal_answer_nothing():
    answer = page_of(np.ones(50), np.ones(60)).answer()
    assert (answer.words, answer.tone) == ("Nothing to conclude", "void")
    assert answer.evidence.startswith("All scores equal 1")


@pytest.mark.parametrize(
    ("larger", "now", "other"), [(True, "larger", "smaller"), (False, "smaller", "larger")]
)
def test_members_that_score_the_other_way_ask_for_the_direction(larger, now, other):
    rng = np.random.default_rng(5)
    sign = -1 if larger else 1
    page = page_of(rng.normal(sign, size=2000), rng.normal(0, size=2000), larger_is_member=larger)
    answer = page.answer()
    assert (answer.words, answer.tone) == ("Check the direction", "void")
    assert answer.evidence.startswith(f"members do not score {now} than non-members (AUC 0.2")
    assert answer.evidence.endswith(f"“{other} = member”")


def test_nothing_may_be_concluded_once_a_choice_was_changed_after_looking():
    page = page_of(MEMBERS, OTHERS, larger_is_member=False)
    assert page.answer().tone == "bad"
    page.confidence = 0.9
    answer = page.answer()
    assert (answer.words, answer.tone) == ("Nothing may be concluded", "void")
    assert answer.evidence == "the confidence was changed after results were seen"
    page.confidence = 0.95
    assert page.answer().tone == "bad"


def test_the_answer_does_not_depend_on_the_threshold():
    page = page_of(MEMBERS, OTHERS, larger_is_member=False)
    inputs = page.inputs(page.answer_item())
    assert "threshold" not in inputs
    assert {"log_delta", "confidence", "looked", "void_words"} <= inputs
