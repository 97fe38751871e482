"""The start page: what people may have and the page for it, what an audit is, and a short tour.

It is data only, and has no parameters: `workbench.assets.start` sends it to the browser.
"""

from __future__ import annotations

from dataclasses import dataclass

#: What the page is called, and what one does there.
TITLE = "What does your mechanism leak?"
ABOUT = (
    "Measure how well an attacker can tell whether one record was in the data, and what that "
    "proves about ε."
)


@dataclass(frozen=True)
class Door:
    """Something that people have, and the page for it.

    Attributes
    ----------
    key : str
        Its name, by which the browser chooses a drawing.
    have : str
        What people have.
    looks : str
        What it consists of, in a sentence.
    page : str
        Name of the page in `workbench.pages.registry.PAGES`.
    learn : str
        What the page says about it, in a sentence.
    data : str
        Key of a data set that shows the page at its best; empty if the page has its own.
    loads : bool
        True if it comes as a file of scores, which the import step reads.
    then : tuple of str
        Names of further pages for the same thing.
    """

    key: str
    have: str
    looks: str
    page: str
    learn: str
    data: str = ""
    loads: bool = False
    then: tuple[str, ...] = ()


#: In the order of how often people have them.
DOORS: tuple[Door, ...] = (
    Door(
        "scores",
        "Scores",
        "One number per record or run, such as a loss, for members and for non-members.",
        "scores",
        "Lower bounds on ε and μ that stay valid while you move the threshold.",
        data="example:gaussian",
        loads=True,
        then=("family", "compare", "watch"),
    ),
    Door(
        "counts",
        "Counts",
        "How many members and non-members one attack classified correctly and wrongly.",
        "counts",
        "The bound by each interval, and which intervals keep their confidence.",
    ),
    Door(
        "canaries",
        "Canaries of one run",
        "Guesses, a score per canary and whether a coin included it, or ranks of inserted secrets.",
        "onerun",
        "What one training run proves, by each method and its assumptions.",
    ),
    Door(
        "code",
        "A mechanism's code",
        "A Python function that takes a dataset and returns random outputs.",
        "mechanism",
        "A search for neighboring datasets whose outputs violate the claim. Start the server with "
        "--mechanism to test your own function; a gallery is included.",
    ),
    Door(
        "table",
        "A table of models × records",
        "Scores, or signals of attacks, of many records under many models, and which model was "
        "trained on which record.",
        "records",
        "Which records leak, and a bound for the record that leaks most.",
        loads=True,
    ),
    Door(
        "nothing",
        "Nothing yet",
        "Draw scores from distributions whose privacy loss is known, or train small models.",
        "pairlab",
        "How close bounds come to the truth, before you spend a training run.",
        then=("train", "plan", "coveragelab"),
    ),
)


@dataclass(frozen=True)
class Remark:
    """A sentence about audits, with a heading."""

    title: str
    text: str


#: What an audit is, what it gives, and what it is not.
AUDIT: tuple[Remark, ...] = (
    Remark(
        "What it is",
        "An audit plays the membership game many times: a record is in the data or not, and an "
        "attacker who sees only the output guesses which.",
    ),
    Remark(
        "What it proves",
        "If the guesses are better than a claimed ε and δ allow, the claim is false; the error "
        "rates give a lower bound on ε at a stated confidence.",
    ),
    Remark(
        "What it is not",
        "An audit never shows that a mechanism is private: another attack or more scores may show "
        "a larger leak.",
    ),
)


@dataclass(frozen=True)
class TourStep:
    """A step of the tour: a place on a page, and what to see there.

    Attributes
    ----------
    title, text : str
        What is said about it.
    page : str
        Name of the page.
    item : str
        Name of a number or a chart of the page; empty for a control.
    control : str
        Name of a control of the page; empty for an item.
    """

    title: str
    text: str
    page: str
    item: str = ""
    control: str = ""


#: Key of the data set of the tour, for people who have chosen none.
TOUR_DATA = "example:gaussian"

TOUR: tuple[TourStep, ...] = (
    TourStep(
        "Two groups of scores",
        "Blue: P, runs with the record in the data. Orange: Q, runs without it. The more the two "
        "differ, the more the output reveals.",
        "scores",
        item="distributions",
    ),
    TourStep(
        "A threshold is an attack",
        "Scores beyond it are classified as members. Move it: the error rates and the dot on the "
        "trade-off curve follow.",
        "scores",
        control="threshold",
    ),
    TourStep(
        "All attacks at once",
        "Each threshold is a point: how many members are missed at each false positive rate. The "
        "further below the diagonal, the more leaks. Click the curve to set the threshold.",
        "scores",
        item="tradeoff",
    ),
    TourStep(
        "What is proved",
        "With this confidence, the true ε is at least this number. The bound is simultaneous: it "
        "holds for all thresholds, so looking and choosing cannot make it wrong.",
        "scores",
        item="epsilon",
    ),
    TourStep(
        "What is not proved",
        "The bound at one threshold holds only if the threshold was fixed in advance. Move it "
        "after seeing the scores, and the number is marked as not valid.",
        "scores",
        item="epsilon_here",
    ),
    TourStep(
        "How many scores are enough",
        "Before an audit, find the sample size that shows a leak of the size you care about. Too "
        "few scores find nothing, whatever leaks.",
        "plan",
        item="needed",
    ),
    TourStep(
        "Audit code instead of scores",
        "This button runs a mechanism on many pairs of neighboring datasets and looks for one "
        "whose outputs refute the claim. The menu and the search lead to all other pages.",
        "mechanism",
        control="search",
    ),
)
