"""The menu of pages, in groups: the front ends show it, and `wb.explore` finds pages in it.

A new page takes its module and one entry here. The name of a page is its address, too: `/counts`.
Names stay, because people keep links; titles may change, but contain the subject of the name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from workbench import _checks
from workbench.software.plugins import Registry


@dataclass(frozen=True)
class PageEntry:
    """A page of the workbench; its module is imported when the page is needed.

    Attributes
    ----------
    title : str
        Title in the menu, of at most three words.
    answers : str
        The question that the page answers, in a line.
    where : str
        Its class, as ``"module:class"``.
    takes : tuple of str
        Types of the objects that `wb.explore` shows on it, as ``"module:class"``.
    given : str
        ``"module:callable"`` that returns the page about such an object.
    """

    title: str
    answers: str
    where: str
    takes: tuple[str, ...] = ()
    given: str = ""

    @property
    def kind(self) -> Any:
        """The class of the page."""
        return resolve_name(self.where)

    def is_about(self, thing: Any) -> bool:
        """True if the page shows objects of this type."""
        return any(isinstance(thing, resolve_name(name)) for name in self.takes)

    def page_about(self, thing: Any) -> Any:
        """The page about an object; see `is_about`."""
        return resolve_name(self.given)(thing)


_GIVEN = "workbench.pages.given:"

#: Title of a group of the menu, and its pages: name and entry, both in the order of the menu.
MENU: dict[str, dict[str, PageEntry]] = {
    "Audit": {
        "scores": PageEntry(
            "Scores",
            "What do two samples of scores prove?",
            "workbench.pages.scores.page:ScoresPage",
            takes=(
                "workbench.scores.sample:Scores",
                *("builtins:tuple", "builtins:list", "builtins:str", "os:PathLike"),
            ),
            given=_GIVEN + "scores_page",
        ),
        "counts": PageEntry(
            "Counts",
            "What do the four counts of one attack prove, by each interval?",
            "workbench.pages.counts:CountsPage",
            takes=("workbench:Counts",),
            given=_GIVEN + "counts_page",
        ),
        "onerun": PageEntry(
            "One run",
            "What do canaries in one training run prove?",
            "workbench.pages.one_run.page:OneRunPage",
            takes=("workbench:OneRun", "workbench:Guesses", "workbench:Ranks"),
            given=_GIVEN + "one_run_page",
        ),
        "records": PageEntry(
            "Records",
            "Which records of a trained model leak, and how many?",
            "workbench.pages.records.page:RecordsPage",
            takes=("workbench:ScoreTable",),
            given=_GIVEN + "records_page",
        ),
        "synthetic": PageEntry(
            "Synthetic data",
            "Does a synthetic table give away who was in the training table?",
            "workbench.pages.synthetic.page:SyntheticPage",
            takes=("workbench:SyntheticAudit",),
            given=_GIVEN + "synthetic_page",
        ),
        "mechanism": PageEntry(
            "Test a mechanism",
            "Does a mechanism violate its claim on some datasets?",
            "workbench.pages.mechanism.page:MechanismPage",
            takes=("workbench:Mechanism", "collections.abc:Callable"),
            given="workbench.pages.mechanism.page:MechanismPage",
        ),
    },
    "Understand": {
        "compare": PageEntry(
            "Compare",
            "Which of two sets of scores leaks more?",
            "workbench.pages.compare:ComparePage",
        ),
        "family": PageEntry(
            "Families",
            "Do the scores follow a parametric family, and what would it imply?",
            "workbench.pages.family:FamilyPage",
        ),
        "risk": PageEntry(
            "Risk",
            "What could an attacker do, and what is promised?",
            "workbench.pages.risk.page:RiskPage",
        ),
        "selection": PageEntry(
            "Best-run selection",
            "What is the privacy cost of releasing the best of many runs?",
            "workbench.pages.selection.page:SelectionPage",
            takes=("workbench.selection:RunCount",),
            given=_GIVEN + "selection_page",
        ),
        "watch": PageEntry(
            "Watch live",
            "Which bounds stay valid while scores arrive?",
            "workbench.pages.watch:WatchPage",
        ),
    },
    "Plan and learn": {
        "plan": PageEntry(
            "Plan sample size",
            "How many scores does an audit need?",
            "workbench.pages.plan:PlanPage",
        ),
        "train": PageEntry(
            "Train models",
            "Does a training with DP-SGD keep its claim, with a bug and without?",
            "workbench.pages.training.page:TrainPage",
            takes=("workbench.training:TrainingRun", "workbench.training:GalleryRun"),
            given="workbench.pages.training.page:TrainPage",
        ),
        "pairlab": PageEntry(
            "Known pairs",
            "How close do estimates come to a known privacy loss?",
            "workbench.pages.pair_lab:PairLabPage",
            takes=("workbench.pairs.base:Pair",),
            given=_GIVEN + "pair_page",
        ),
        "coveragelab": PageEntry(
            "Coverage",
            "How often does each method's bound exceed the truth?",
            "workbench.pages.coverage_lab:CoverageLabPage",
        ),
    },
}

#: Our pages: name, in addresses and for `wb.explore`, and entry; in the order of the menu.
_OURS: dict[str, PageEntry] = {
    **{name: entry for pages in MENU.values() for name, entry in pages.items()},
    "import": PageEntry(
        "Open scores",
        "How are these files read?",
        "workbench.pages.importing.page:ImportPage",
    ),
}


#: Characters of the title of a page.
LONGEST_TITLE = 50


def _taken(name: str, found: Any) -> PageEntry:
    """The entry of a plug-in's page (ValueError or TypeError that says what is wrong)."""
    page: Any = resolve_name("workbench.pages.core.page:Page")
    if not (isinstance(found, type) and issubclass(found, page)):
        raise TypeError(
            f"it must be a class derived from wb.pages.Page, got {_checks.shown(found)}"
        )
    kind: Any = found
    title, about = kind.title, kind.about
    if not (title and len(title) <= LONGEST_TITLE and about):
        raise ValueError(
            f"its title must be a few words, of at most {LONGEST_TITLE} characters, and its about "
            f"say what it answers, got {_checks.shown(title)} and {_checks.shown(about)}"
        )
    if title in {entry.title for entry in _OURS.values()}:
        raise ValueError(f"the workbench has a page called {title!r}; choose another title")
    where = f"{found.__module__}:{found.__qualname__}"
    if resolve_name(where) is not found:
        raise ValueError(f"its class must be found as {where}")
    found()  # as the front ends make it
    return PageEntry(title, about, where)


#: Name of a page and its entry: ours, then those of plug-ins.
PAGES: Registry[PageEntry] = Registry("workbench.pages", _OURS, _taken)

#: What the menu calls the pages of plug-ins.
PLUG_INS = "Plug-ins"


def menu() -> dict[str, dict[str, PageEntry]]:
    """`MENU`, and at its end a group of the pages of plug-ins, if there are any."""
    return MENU | ({PLUG_INS: PAGES.others} if PAGES.others else {})
