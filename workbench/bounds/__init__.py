"""Bounds with a guarantee from scores and counts; every result is a `Bound`.

========================  ==============================================================
I look for                it is in
========================  ==============================================================
the result type           `bound`; its sentences in `wording`, its LaTeX in `latex`, its BibTeX
                          in `citations`, all forms for copying in `texts`
ε and μ from two samples  `lower_bounds`, with a class for each guarantee in `strategies`;
                          plain estimates in `estimates`
what a bound is about     `quantities`: ε, δ, μ, TV, TPR, precision of error rates (α, β)
four counts               `counts`: binomial intervals, the joint exact test, a posterior
all thresholds at once    `simultaneous`: the band, its composition and comparison
one question, in advance  `one_question`: sharper than the band, for one quantity or claim
tuned, then measured      `held_out`: split samples, learned orderings
watched while it grows    `anytime`: betting, e-values, monitoring
a group of records        `one_record`: what its bound implies for one of them
a known family            `parametric`: family fits and checks, GDP fits
how many scores           `power`: power, sample sizes, verdicts on claims
chance                    `random_split` (splits in two parts)
========================  ==============================================================

Each folder imports only from those above it in the table.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
