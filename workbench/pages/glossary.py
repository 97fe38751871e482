"""The glossary: terms of privacy auditing in a few plain sentences each.

The pages link the terms in their texts to it, the search finds them, and the documentation prints
them. Formulas follow Dong, Roth and Su (2022) and the docstrings of `workbench.pairs`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A term and its definition.

    Attributes
    ----------
    key : str
        Its name in addresses and links.
    name : str
        The term, as a title.
    text : str
        Its definition.
    words : tuple of str
        The forms that texts link to the definition. A form in lower case is also found with a
        capital first letter; a form with a capital is found only as it is written.
    shown : tuple of str
        Name of a page, and of a number or chart there that shows the term; empty if none does.
    """

    key: str
    name: str
    text: str
    words: tuple[str, ...]
    shown: tuple[str, str] | tuple[()] = ()


#: Title of a topic, and its terms.
GLOSSARY: dict[str, tuple[Term, ...]] = {
    "What is promised": (
        Term(
            "differential-privacy",
            "Differential privacy (DP)",
            "A mechanism is (ε, δ)-differentially private if, for all neighboring datasets, the "
            "probability of every event under one of them is at most e^ε times its probability "
            "under the other, plus δ. So nobody who sees the output can be sure whether one record "
            "was in the data. It is a property of the mechanism, not of one of its outputs.",
            ("differential privacy", "differentially private", "DP", "(ε, δ)-DP"),
        ),
        Term(
            "epsilon",
            "ε (epsilon)",
            "The privacy loss that a mechanism allows. Where δ = 0, an output changes the odds "
            "that a person is in the data by a factor of at most e^ε. For ε = 1, even odds become "
            "at most 2.7 to 1, a probability of 73%; for ε = 5, they become 148 to 1, or 99.3%. "
            "Smaller is more private.",
            ("ε", "epsilon"),
            ("scores", "epsilon"),
        ),
        Term(
            "delta",
            "δ (delta)",
            "The probability by which an event may exceed the limit that ε sets. A mechanism that "
            "publishes one of n records, drawn at random, satisfies ε = 0 with δ = 1/n. So δ is "
            "chosen well below 1 divided by the number of records.",
            ("δ", "delta"),
            ("scores", "profile"),
        ),
        Term(
            "neighboring",
            "Neighboring datasets",
            "Two datasets that differ in one record: it is added or removed, or replaced by "
            "another one. The claim says which, because it matters: pure ε for adding or removing "
            "a record implies up to 2ε for replacing one.",
            ("neighboring datasets", "neighboring dataset", "neighbors", "neighboring"),
            ("mechanism", "pair"),
        ),
        Term(
            "user-level",
            "User-level privacy",
            "Privacy of all records of a person, where record-level privacy protects each record "
            "alone. A mechanism with pure ε for one record has up to kε for a person with k of "
            "them. A lower bound for one record holds for persons, too, but the loss of a person "
            "can be much larger.",
            ("user-level privacy", "user-level", "group privacy"),
        ),
        Term(
            "composition",
            "Composition",
            "Several outputs about the same data leak more than one. For k outputs, ε and δ are at "
            "most k times those of one; an accountant computes a smaller, valid total. DP-SGD is "
            "the composition of all its training steps.",
            ("composition", "compositions", "composed", "accountant"),
        ),
        Term(
            "post-processing",
            "Post-processing",
            "Whatever is computed from a private output, without the data, is at least as private "
            "as the output. Audits rely on this: scores and attacks are computed from the output, "
            "so what they show is a lower bound for the mechanism.",
            ("post-processing",),
        ),
        Term(
            "dp-sgd",
            "DP-SGD",
            "Training by stochastic gradient descent that clips the gradient of each record and "
            "adds Gaussian noise to their sum in every step. Its ε follows from the noise "
            "multiplier, the sampling rate and the number of steps.",
            ("DP-SGD",),
            ("selection", "exact_number"),
        ),
    ),
    "The membership game": (
        Term(
            "membership-game",
            "Membership game",
            "A record is included in the data or left out, and the attacker, who sees only the "
            "output, guesses which. An audit counts correct and wrong guesses. If the guesses are "
            "better than ε and δ allow, the claim is false.",
            ("membership game", "membership attack", "membership inference"),
        ),
        Term(
            "member",
            "Member and non-member",
            "A member is a record that was in the data, a non-member one that was not. In an audit "
            "of a single record, members are the runs with it and non-members the runs without it.",
            ("members", "member", "non-members", "non-member"),
            ("scores", "sizes"),
        ),
        Term(
            "score",
            "Score",
            "A number that says how much the output looks as if the record was in the data. "
            "Members have smaller losses, but larger inner products with their own gradient: the "
            "direction belongs to the score, and the auditor states it.",
            ("membership score", "direction of the score"),
            ("scores", "distributions"),
        ),
        Term(
            "p-and-q",
            "P and Q",
            "P is the distribution of the score if the record is in the data, Q if it is not. If "
            "they are equal, nothing leaks through this score; if they do not overlap, membership "
            "is certain. All quantities on these pages compare the two.",
            ("P", "Q"),
            ("scores", "distributions"),
        ),
        Term(
            "threshold",
            "Threshold",
            "The simplest attack on scores: all records beyond the threshold are classified as "
            "members. Every threshold has a false positive and a false negative rate, and all "
            "thresholds together draw the trade-off curve of the score.",
            ("threshold", "thresholds"),
            ("scores", "tradeoff"),
        ),
        Term(
            "fpr",
            "False positive rate (FPR, α)",
            "The share of non-members that an attack classifies as members. Attacks at a small "
            "rate, such as 1 in 1,000, identify few people but with high certainty, and often show "
            "the largest ε.",
            ("false positive rate", "false positive rates", "FPR"),
            ("scores", "tpr"),
        ),
        Term(
            "fnr",
            "False negative rate (FNR, β)",
            "The share of members that an attack misses. The true positive rate, TPR = 1 − FNR, is "
            "the share that it identifies.",
            ("false negative rate", "false negative rates", "FNR", "true positive rate", "TPR"),
            ("scores", "tradeoff"),
        ),
        Term(
            "auc",
            "AUC",
            "The probability that a random member scores more member-like than a random "
            "non-member; ties count one half. It is an average over all error rates and no measure "
            "of privacy: an attack that identifies 1 in 100 members with certainty has an AUC near "
            "one half.",
            ("AUC",),
            ("scores", "auc"),
        ),
    ),
    "Curves and quantities": (
        Term(
            "tradeoff",
            "Trade-off function",
            "The smallest false negative rate that any attack reaches at each false positive rate "
            "α. If nothing leaks, it is 1 − α; the lower it is, the more leaks. Every attack is a "
            "point on it or above it. Upside down, it is the ROC curve of the best attacks.",
            (
                *("trade-off function", "trade-off functions"),
                *("trade-off curve", "trade-off curves", "ROC curve"),
            ),
            ("scores", "tradeoff"),
        ),
        Term(
            "f-dp",
            "f-DP",
            "A mechanism is f-DP if its trade-off function is nowhere below f, for all neighboring "
            "datasets. One curve f says as much as all pairs (ε, δ) of the privacy profile "
            "together (Dong, Roth and Su 2022).",
            ("f-DP", "f-differential privacy"),
        ),
        Term(
            "gdp",
            "Gaussian DP and μ",
            "A mechanism is μ-GDP if membership is at least as hard to guess as whether one number "
            "was drawn from N(μ, 1) or from N(0, 1). A Gaussian mechanism with sensitivity Δ and "
            "noise σ has μ = Δ/σ. μ = 0 leaks nothing; μ = 1 allows ε = 4.4 at δ = 1e-5.",
            ("GDP", "μ-GDP", "Gaussian DP", "μ"),
            ("scores", "mu_curve"),
        ),
        Term(
            "tv",
            "Total variation (TV)",
            "The largest difference between the probabilities that P and Q give to one event. It "
            "is the advantage TPR − FPR of the best attacker, who is right with probability "
            "(1 + TV)/2 if both answers are equally likely.",
            ("total variation", "total variation distance", "TV"),
            ("scores", "total_variation"),
        ),
        Term(
            "hockey-stick",
            "Hockey-stick divergence",
            "The largest excess of P(E) over e^ε·Q(E) over all events E. A pair satisfies (ε, δ) "
            "if it is at most δ in both directions, P against Q and Q against P. At ε = 0 it is "
            "the total variation.",
            ("hockey-stick divergence", "hockey-stick"),
            ("scores", "profile"),
        ),
        Term(
            "profile",
            "Privacy profile",
            "δ as a function of ε: the smallest δ with which the mechanism satisfies each ε. It is "
            "the larger of the two hockey-stick divergences, and says as much as the trade-off "
            "function.",
            ("privacy profile", "privacy profiles"),
            ("scores", "profile"),
        ),
        Term(
            "renyi",
            "Rényi DP and zCDP",
            "Claims that limit the Rényi divergence between P and Q: at one order α, or, for zCDP, "
            "in proportion to the order. Both imply an ε for every δ. A single Rényi claim says "
            "less than the trade-off function.",
            ("Rényi divergence", "Rényi DP", "Rényi", "zCDP"),
            ("mechanism", "bounds"),
        ),
        Term(
            "exposure",
            "Exposure",
            "The bits by which a canary stands out among k candidates: log₂ k − log₂ rank, from 0 "
            "for the last to log₂ k for the first (Carlini et al. 2019). Its mean follows from "
            "the trade-off curve: it is the AUC for k = 2, and tends to 1.44 bits for many "
            "candidates where nothing leaks. A claim limits it: the canary is among the first r "
            "with probability at most 1 − f(r/k).",
            ("exposure",),
            ("scores", "exposure_chart"),
        ),
        Term(
            "family",
            "Parametric family",
            "An assumption about the shape of the pair, such as Gaussian with unknown μ. It turns "
            "a few counts into ε at any δ, but the bound is wrong if the assumption is. Bounds "
            "that use one name it.",
            ("parametric family", "parametric families"),
            ("family", "verdict"),
        ),
    ),
    "What a number guarantees": (
        Term(
            "lower-bound",
            "Lower bound",
            "The true value is at least this number, at the stated confidence. A small lower bound "
            "does not mean that a mechanism is private: another attack or more scores may show "
            "more. A lower bound above the claim refutes the claim.",
            ("lower bound", "lower bounds"),
            ("scores", "epsilon"),
        ),
        Term(
            "confidence",
            "Confidence",
            "The share of audits in which a bound of this kind does not exceed the truth, if "
            "audits were repeated with new data. At 95%, at most 1 in 20 audits claims too much.",
            ("confidence",),
            ("coveragelab", "false_claims"),
        ),
        Term(
            "estimate",
            "Estimate",
            "A number without a guarantee. The total variation of two histograms is an example: it "
            "is above zero even if nothing leaks.",
            ("estimate", "estimates"),
            ("scores", "histogram_tv"),
        ),
        Term(
            "approximate",
            "Approximate",
            "An interval that other tools report and that misses the truth more often than it "
            "states for some rates. It is shown for comparison only.",
            ("approximate",),
            ("counts", "misses"),
        ),
        Term(
            "posterior-mass",
            "Posterior mass",
            "The probability, given the four counts of an attack, that its true error rates are "
            "ones that a trade-off function allows. It is Bayesian: it rests on Jeffreys priors "
            "for both rates, and is no confidence. Near 0 it speaks against the function; near 1 "
            "it does not speak for it, because a weak attack gives 1 for every function.",
            ("posterior mass", "posterior probability"),
            ("scores", "posterior_chart"),
        ),
        Term(
            "pointwise",
            "Pointwise",
            "A bound for one threshold, or one set of bins, that was fixed before the scores were "
            "seen. The largest of many pointwise bounds is not valid.",
            ("pointwise",),
            ("scores", "epsilon_here"),
        ),
        Term(
            "plan",
            "Plan (fixed in advance)",
            "What an audit fixes before its scores are opened: where they come from, their "
            "direction, the threshold or the bins, δ, the confidence, the claim and the sample "
            "sizes. It is stored with the time and a hash. While the audit follows it, a pointwise "
            "bound is valid; every deviation is listed, and one that could have been chosen by its "
            "result makes the bound void.",
            ("fixed in advance",),
            ("scores", "epsilon_here"),
        ),
        Term(
            "simultaneous",
            "Simultaneous",
            "A bound that holds for all thresholds at once. It stays valid whatever you choose "
            "while you look at the scores, and it is only a little smaller.",
            ("simultaneous",),
            ("scores", "epsilon"),
        ),
        Term(
            "one-question",
            "One question (fixed in advance)",
            "A bound on one quantity, such as ε at δ = 1e-5, that was chosen before the data were "
            "seen. It holds for all thresholds at once and is sharper than a simultaneous bound, "
            "which covers all quantities. A question that is chosen after a result gets the "
            "simultaneous bound.",
            ("one question", "question fixed in advance"),
            ("scores", "epsilon"),
        ),
        Term(
            "held-out",
            "Held-out",
            "The attack is tuned on one part of the scores, and the bound is measured on the rest. "
            "The parts are drawn at random, once for the same scores, so nobody can choose a "
            "favorable split.",
            ("held-out",),
            ("onerun", "held_out"),
        ),
        Term(
            "anytime",
            "Anytime",
            "A bound that holds at every sample size at once. You may look after each score and "
            "stop when you like, for example as soon as the claim is refuted.",
            ("anytime",),
            ("watch", "epsilon"),
        ),
        Term(
            "e-value",
            "E-value",
            "Evidence against a claim: the money that a bet against it has made from a stake of 1. "
            "If the claim is true, the bet is fair or worse, and reaches 20 at any time in at most "
            "5% of audits.",
            ("e-value", "e-values"),
            ("watch", "wealth"),
        ),
        Term(
            "after-looking",
            "Chosen after looking",
            "A choice that was made with results in view, such as a threshold, a file or the "
            "direction of the score, may have been made because of them. Then a bound for a fixed "
            "choice claims too much and is marked as not valid. Fix the choice first, or use a "
            "simultaneous, held-out or anytime bound.",
            ("chosen after looking", "after looking", "not valid"),
            ("scores", "epsilon_here"),
        ),
        Term(
            "power",
            "Power",
            "The probability that an audit of a given size shows a leak of a given size. An audit "
            "without power finds nothing even if much leaks, so plan the sample size before the "
            "audit.",
            ("power",),
            ("plan", "power_curve"),
        ),
    ),
    "Where scores come from": (
        Term(
            "shadow-models",
            "Shadow models: LiRA and RMIA",
            "Models trained as the target was, with and without the record, show how it changes "
            "the output. LiRA scores a record by how much better its loss fits the models trained "
            "with it than those trained without it. RMIA compares the record's probability under "
            "the target with its average over reference models, relative to the same ratio of "
            "other records. Either score can be audited on the Scores page.",
            ("shadow models", "shadow model", "LiRA", "RMIA", "reference models"),
        ),
        Term(
            "canary",
            "Canary",
            "A record made for the audit and included in the data by a coin flip. One that a model "
            "memorizes easily shows more. Differential privacy protects every record, so what a "
            "canary shows is a bound for the mechanism.",
            ("canary", "canaries"),
            ("onerun", "counted"),
        ),
        Term(
            "black-box",
            "Black-box and white-box audits",
            "A black-box audit sees final models, such as the loss of a record. A white-box audit "
            "sees what every step of the training releases, and often shows more. The claim of "
            "DP-SGD is about the latter.",
            ("black-box", "white-box"),
            ("train", "distributions"),
        ),
        Term(
            "positive-control",
            "Positive control",
            "An audit of a mechanism that is known to be broken. If it finds nothing, its silence "
            "on other mechanisms says little. The page Train models has one for every bug.",
            ("positive control", "positive controls"),
            ("train", "wealth"),
        ),
        Term(
            "last-iterate",
            "Last iterate",
            "The final model of a training, without the steps before it. If losses are linear, it "
            "leaks no more than a known pair of distributions (arXiv 2410.06186). For other losses "
            "that pair is a heuristic, not a proven limit.",
            ("last iterate", "last-iterate"),
            ("train", "last_iterate"),
        ),
        Term(
            "one-run",
            "One-run audit",
            "One training run with many canaries, each included by its own coin flip. The guesses "
            "depend on each other through the run, and the methods for it allow for that. It is "
            "cheap, and its bounds are usually smaller than those of many runs.",
            ("one-run audit", "one training run", "one run"),
            ("onerun", "methods"),
        ),
        Term(
            "matched-pairs",
            "Matched pairs",
            "If a random half of the records was in one training, each member is matched at random "
            "with a record that was held out. Which of the two was in is then a fair coin, and a "
            "guess says which by the difference of their scores. Bounds from pairs are about "
            "substituting a record, and hold however the records influence each other.",
            ("matched pairs", "matched pair", "a random half"),
            ("onerun", "counted"),
        ),
        Term(
            "independent-runs",
            "Independent runs",
            "Each score comes from a run of its own. Bounds on the Scores page assume independent "
            "scores and repeat this assumption. Scores of many records under one model are not "
            "independent; use a one-run audit for them.",
            ("independent runs", "independent rows", "independent scores"),
            ("scores", "sizes"),
        ),
    ),
    "Audits of records": (
        Term(
            "score-table",
            "Score table",
            "One score for each of many models and records, and which model was trained on which "
            "record, as LiRA and similar tools write it. For each record, the models with it and "
            "those without it are two samples of scores.",
            ("score table", "score tables"),
            ("records", "ranks"),
        ),
        Term(
            "worst-record",
            "Worst record",
            "The record that leaks most. Differential privacy promises the same ε to every record, "
            "so a bound for the worst one is a bound for the mechanism. It has to allow for the "
            "choice among all records: the largest of many estimates is too high by chance alone.",
            ("worst record",),
            ("records", "worst"),
        ),
        Term(
            "average-case",
            "Average-case audit",
            "An audit of the scores of all records together. It measures how well an attack "
            "distinguishes an average member from an average non-member. A few records that leak "
            "much hardly change it.",
            ("average-case", "average over records"),
            ("records", "average"),
        ),
    ),
    "Common false alarms": (
        Term(
            "label-leakage",
            "Label leakage",
            "The score contains the answer: it was computed with knowledge of which records were "
            "in the data, or the file's order or an identifier gives it away. Then the attack "
            "looks perfect and says nothing about the mechanism. Compute scores without the label "
            "and join the label afterwards.",
            ("label leakage",),
        ),
        Term(
            "shift",
            "Data-set shift",
            "Members and non-members differ for a reason other than training, such as their date "
            "or source. The score then separates the sources. Draw both groups from one pool by "
            "coin flips, and check that an attack that never sees the model finds nothing.",
            ("data-set shift", "distribution shift"),
        ),
        Term(
            "given",
            "Members that nobody drew",
            "Nobody decided at random who was in: members and non-members come from two "
            "populations, such as two years. The number of an audit is then a difference of "
            "populations and a leak together, and an estimate. That a classifier finds no "
            "difference does not change this.",
            ("members that nobody drew", "not randomized"),
        ),
        Term(
            "unlearning",
            "Unlearning",
            "A model is changed such that it behaves as if some records had never been in its "
            "training. It is shown by equivalence to a model that was retrained without them: no "
            "test of a score tells the two apart by more than a stated ε and δ.",
            ("unlearning", "unlearned"),
        ),
    ),
}

#: Key of a term, and the term.
TERMS: dict[str, Term] = {term.key: term for terms in GLOSSARY.values() for term in terms}
