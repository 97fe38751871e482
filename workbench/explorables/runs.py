"""Two explorables: one training run, and the release of the best of many runs."""

from __future__ import annotations

from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import CheckedQuestion
from workbench.onerun.bound import one_run_bound
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.selection.page import SelectionPage
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.bounds import epsilon
from workbench.selection.runs import NegativeBinomial
from workbench.selection.worst_order import worst_order
from workbench.workspaces.workspace import Workspace

DELTA = 1e-5


def _steinke(correct: int) -> float:
    return one_run_bound(
        canaries=1000, guesses=1000, correct=correct, delta=DELTA, method="steinke"
    ).value


ONE_RUN = Explorable(
    about=(
        "To train a thousand models is expensive. The alternative: each of many canaries is "
        "included in one training run by a coin flip of its own, and an attacker guesses from the "
        "model which were included. The share of right guesses shows the leak.",
        "How much it proves depends on what is assumed. “Any mechanism” assumes the coins alone. "
        "“Given the family” also assumes Gaussian noise. “Independent canaries” assumes besides "
        "that no canary changes the score of another. Here the mechanism is simulated and all of "
        "this is true, so the true ε is known.",
    ),
    make=lambda: OneRunPage(workspace=Workspace()),
    items=("steinke", "fdp", "bits", "from_scores", "counted", "truth", "methods", "information"),
    moves={
        "log_canaries": (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0),
        "leak": (0.3, 0.5, 1.0, 1.5, 2.0, 3.0),
    },
    tries=(
        "Move the number of canaries from 10 to 10,000. The bounds that assume the family come "
        "close to the truth; “any mechanism” stays far below it, however many canaries there are.",
        "Make the mechanism leak more. The distance grows: a single run cannot prove a large ε "
        "without assumptions.",
        "Look at the terms under each number. They say what the bound rests on; the guesses "
        "themselves cannot show whether it is true.",
    ),
    questions=(
        CheckedQuestion(
            "Which bound holds even if canaries influence each other and the noise is of any kind?",
            lambda: "a",
            "It needs nothing but a fair coin for each canary.",
            choices=(
                "any mechanism (Steinke et al. 2023)",
                "given the family (Mahloujifar et al. 2024)",
                "independent canaries, exact",
            ),
        ),
        CheckedQuestion(
            "691 of 1000 guesses about 1000 canaries are right. Which ε does “any mechanism” prove "
            "at δ = 1e-5? The first chart shows its size at μ = 1. To one digit after the point.",
            lambda: _steinke(691),
            "Where μ = 1, about 69% of the guesses are right, and the true ε is 4.38.",
            within=0.06,
            mistakes={
                "this is the true ε of that mechanism.": lambda: float(
                    GaussianPair(1).epsilon(DELTA)
                )
            },
        ),
        CheckedQuestion(
            "You audit a mechanism whose noise is of an unknown kind with a bound that assumes "
            "Gaussian noise. What does the bound prove?",
            lambda: "c",
            "A bound that assumes a family holds if the pair belongs to the family.",
            choices=("ε of the mechanism", "at least half of it", "nothing"),
        ),
    ),
    page="onerun",
    notebook="09",
)


def _geometric(mean: float) -> NegativeBinomial:
    return NegativeBinomial.from_mean(1, mean)


BEST_RUN = Explorable(
    about=(
        "Hyperparameters are tuned by training many times and releasing the run with the best "
        "score. Each run satisfies the same guarantee, and the reported ε is often that of one. "
        "But which run is best depends on the data, too.",
        "If scores rank runs by their privacy loss, the release can be computed exactly. Another "
        "score may leak more: a search finds a bad one, which is a lower bound on the worst case. "
        "What is proven for any score is an upper bound. The truth for the worst score lies "
        "between these two. The number of runs is geometric, and drawn before any run.",
    ),
    make=lambda: SelectionPage(workspace=Workspace(), mu=0.5, log_mean=1.0),
    items=(
        *("answer", "base", "direct_number", "worst_number", "generic_number", "mean_runs"),
        *("against_runs", "order"),
    ),
    moves={
        "log_mean": (0.05, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0),
        "mu": (0.1, 0.25, 0.5, 1.0, 2.0),
    },
    tries=(
        "Move the mean number of runs from 1 to 1000. The exact value for scores that rank by "
        "privacy loss hardly grows. The worst case that was found doubles.",
        "Look at “Worst score order found”. A score that prefers the gray block turns a release "
        "from the red one into a message: no run was in the gray block.",
        "Make one run more private (a smaller μ) until the best of 100 is as private as one run "
        "was before. This is the price of the selection.",
    ),
    questions=(
        CheckedQuestion(
            "One run has μ = 0.5. Which ε at δ = 1e-5 do people report if they ignore the "
            "selection? To two digits after the point.",
            lambda: float(GaussianPair(0.5).epsilon(DELTA)),
            "It is that of one run, which says nothing about the best of several.",
            within=0.01,
            mistakes={
                "this holds for the best of ten, if scores rank by privacy loss.": lambda: (
                    epsilon(_geometric(10), 0.5, delta=DELTA).value
                )
            },
        ),
        CheckedQuestion(
            "The best of 10 runs on average, μ = 0.5: which ε does some score reach, by the "
            "search? To two digits after the point.",
            lambda: worst_order(_geometric(10), 0.5, delta=DELTA).bound.value,
            "This is a lower bound on the worst case: another score may leak more.",
            within=0.02,
            mistakes={
                "this is proven for any score, and never below what a score reaches.": lambda: (
                    epsilon(_geometric(10), 0.5, delta=DELTA, bound="generic").value
                )
            },
        ),
        CheckedQuestion(
            "You select by validation accuracy, and do not know how it relates to the privacy "
            "loss. Which number may you report as an upper bound?",
            lambda: "c",
            "The exact value assumes that scores rank by privacy loss, and the search bounds the "
            "worst case from below.",
            choices=(
                "the exact value, if scores rank by privacy loss",
                "the worst case found",
                "what is proven for any score",
            ),
        ),
    ),
    page="selection",
    notebook="11",
)
