"""Closed sets of names stand in one registry each, and every copy of a list equals its registry.

`REGISTRIES` has all sets. Three kinds of copies are compared with it: lists in code and docstrings,
wherever they are (`test_no_list_of_names_is_nearly_a_registry`), tables of the documentation, and
lists in JavaScript. Whoever adds a name to a registry learns here where else it stands.
"""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from workbench.assets import controls
from workbench.assets.share import FIGURE_KINDS
from workbench.bounds.anytime import anytime
from workbench.bounds.bound import FAMILY_CHECKS, GUARANTEES, Side
from workbench.bounds.counts.intervals import INTERVALS, Interval
from workbench.bounds.held_out import held_out
from workbench.bounds.lower_bounds import STRATEGIES, Guarantee
from workbench.bounds.parametric import gdp_fit, parametric
from workbench.bounds.power import judge, verdict
from workbench.bounds.power.sample_size import PLANS
from workbench.bounds.wording import GUARANTEE_HELP, SURVIVAL, SYMBOLS
from workbench.claims.parse import CLAIMS
from workbench.cli.score_audit import formats as score_formats
from workbench.cli.serving import oauth, who
from workbench.estimators.bin_rules import WIDTH_RULES
from workbench.estimators.histogram import RULES, Rule
from workbench.figures.paper.export import KINDS as PAPER_KINDS
from workbench.figures.paper.look import FONTS
from workbench.onerun import bound as one_run
from workbench.onerun.guesses import DESIGNS
from workbench.pages.registry import MENU, PAGES
from workbench.pairs.accounting.dpsgd import NEIGHBORING
from workbench.pairs.families.registry import FAMILIES, FamilyName
from workbench.populations.closer import CLOSER
from workbench.populations.records import CLASSIFIERS
from workbench.populations.unlearned import ANSWERS, SAMPLINGS_OF_SCORES
from workbench.reports import write
from workbench.reports.forms import FORMS
from workbench.risks.attacks import ATTACKS
from workbench.scores.counting.large import COUNTABLE
from workbench.scores.layouts.layout import Kind
from workbench.scores.layouts.tools import TOOLS
from workbench.scores.parsing.formats import EXTENSIONS
from workbench.scores.sample import CLUSTER_RULES, NON_FINITE, SAMPLINGS
from workbench.scores.statement import SAMPLINGS_WITHOUT_CLUSTERS
from workbench.selection import base_pair
from workbench.selection import bounds as selection
from workbench.server.handlers.downloads import REPORT_KINDS
from workbench.server.people import providers
from workbench.server.people.person import Role
from workbench.synthetic.attacks.registry import ATTACKS as SYNTHETIC_ATTACKS
from workbench.synthetic.choice import SPLITS
from workbench.synthetic.columns import COLUMN_KINDS
from workbench.synthetic.tables import DUPLICATES
from workbench.synthetic.threats.registry import THREATS
from workbench.tables.attacks.references import REFERENCES
from workbench.tables.attacks.signals import SIGNAL_KINDS
from workbench.tables.bounds import methods as table_methods
from workbench.tables.bounds.worst_record import METHODS as TABLE_METHODS
from workbench.tables.design import DESIGNS as TABLE_DESIGNS
from workbench.tables.layouts.base import KINDS, TRANSPOSED
from workbench.tables.layouts.registry import LAYOUTS
from workbench.tables.table import SAMPLINGS_OF_MODELS
from workbench.testers.finders import SEARCHES
from workbench.testers.finders.neighbors import RELATIONS
from workbench.testers.property_testers.registry import TESTERS
from workbench.training.audits.registry import AUDITS
from workbench.training.dp_sgd.bugs import PROCEDURES
from workbench.training.dp_sgd.network import LOSSES
from workbench.training.dp_sgd.optimizers import OPTIMIZERS

ROOT = Path(__file__).parents[1]

REGISTRIES = {
    "interval of counts": INTERVALS,
    "side of a limit": get_args(Side),
    "side of a bound": (*get_args(Side), "upper"),
    "side of a test": ("lower", "upper"),
    "quantity": SYMBOLS,
    "quantity of an anytime bound": anytime.QUANTITIES,
    "quantity of a parametric bound": get_args(parametric.Quantity),
    "guarantee": GUARANTEES,
    "badge": GUARANTEE_HELP,
    "badge with a promise": SURVIVAL,
    "guarantee of a lower bound": STRATEGIES,
    "guarantee of a verdict": get_args(judge.Guarantee),
    "verdict": verdict.VERDICTS,
    "check of a family": FAMILY_CHECKS,
    "held-out ordering": held_out.METHODS,
    "fit of μ": gdp_fit.METHODS,
    "family": FAMILIES,
    "one-run method": one_run.METHODS,
    "design of canaries": DESIGNS,
    "bound of a selection": selection.METHODS,
    "reduction": base_pair.REDUCTIONS,
    "claim": [kind.word for kind in CLAIMS],
    "relation of neighbors": RELATIONS,
    "attack of a risk": ATTACKS,
    "relation of DP-SGD": NEIGHBORING,
    "search": SEARCHES,
    "tester": TESTERS,
    "histogram rule": RULES,
    "rule for widths": WIDTH_RULES,
    "sampling": SAMPLINGS,
    "sampling without clusters": SAMPLINGS_WITHOUT_CLUSTERS,
    "sampling of models": SAMPLINGS_OF_MODELS,
    "rule for clusters": CLUSTER_RULES,
    "non-finite scores": NON_FINITE,
    "kind of score layout": get_args(Kind),
    "score format": EXTENSIONS,
    "countable format": COUNTABLE,
    "split of a table": SPLITS,
    "classifier of a shift": CLASSIFIERS,
    "answer on unlearning": ANSWERS,
    "answer on the closer model": CLOSER,
    "sampling of unlearning": SAMPLINGS_OF_SCORES,
    "kind of an audited column": COLUMN_KINDS,
    "treatment of duplicates": DUPLICATES,
    "table layout": LAYOUTS,
    "table method": TABLE_METHODS,
    "table design": TABLE_DESIGNS,
    "table values": KINDS,
    "transposed arrays": TRANSPOSED,
    "signal": SIGNAL_KINDS,
    "reference models": REFERENCES,
    "attack on a synthetic table": SYNTHETIC_ATTACKS,
    "threat of a synthetic table": THREATS,
    "training audit": AUDITS,
    "training bug": PROCEDURES,
    "loss": LOSSES,
    "optimizer": OPTIMIZERS,
    "report": write._FORMATS,
    "form of a report": FORMS,
    "figure file": FIGURE_KINDS,
    "figure on paper": PAPER_KINDS,
    "fonts": FONTS,
    "role": [role.value for role in Role],
    "role by sign-in": oauth.ROLES,
    "provider": oauth.PROVIDERS,
    "page": PAGES,
    "page of the menu": [name for pages in MENU.values() for name in pages],
}

#: File -> registries of which it lists some names on purpose: not all serve there.
PARTIAL = {
    "benchmarks/papers/auditorium/cases.py": {"tester"},
    "benchmarks/papers/auditorium/cost.py": {"tester"},
    "benchmarks/papers/auditorium/detection.py": {"tester"},
    "benchmarks/papers/auditorium/search.py": {"tester"},
    "workbench/bounds/simultaneous/rank_tests.py": {"quantity of an anytime bound"},
    "workbench/coverage_lab/cases/one_run.py": {"guarantee of a verdict"},
    "workbench/coverage_lab/cases/others.py": {"guarantee of a lower bound"},
    "workbench/coverage_lab/exact/settings.py": {"one-run method"},
    "workbench/coverage_lab/probes.py": {"guarantee of a verdict"},
    "workbench/live/canary_audit.py": {"quantity of an anytime bound"},
    "workbench/onerun/bound.py": {"one-run method"},
    "workbench/onerun/scored/bound.py": {"quantity of an anytime bound"},
    "workbench/pages/importing/choices.py": {"kind of score layout"},
    "workbench/pages/watch.py": {"quantity of an anytime bound"},
    "workbench/reports/summary.py": {"quantity of an anytime bound"},
    "workbench/risks/plain_words.py": {"attack of a risk"},
    "workbench/scores/layouts/folders.py": {"countable format"},
    "workbench/server/people/providers.py": {"provider"},
    "workbench/tables/layouts/place.py": {"countable format"},
    "workbench/tables/remarks.py": {"table design"},
    "benchmarks/_valid_calls.py": {"search"},
    "benchmarks/papers/bits/simulated.py": {"family"},
    "benchmarks/record_bounds.py": {"table method"},
}


# -- lists in code and docstrings -----------------------------------------------------------------


def lists_of_names(text):
    """Line and names of each list of strings: tuples, keys, `Literal`, {"a", "b"} in docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Dict):
            items = node.keys
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            items = node.elts
        else:
            continue
        names = {x.value for x in items if isinstance(x, ast.Constant) and isinstance(x.value, str)}
        if len(names) == len(items) > 1:
            yield node.lineno, names
    for found in re.finditer(r'\{("[^"{}]*"(?:,\s*"[^"{}]*")+)\}', text):
        yield text.count("\n", 0, found.start()) + 1, set(re.findall(r'"([^"]*)"', found[1]))


def near_copies(text, registries):
    """Lists that equal no registry, and one but for a name, or for a name in place of another."""
    for line, names in lists_of_names(text):
        if any(names == set(registry) for registry in registries.values()):
            continue
        for title, registry in registries.items():
            both, apart = len(names & set(registry)), len(names ^ set(registry))
            if (apart == 1 and both > 1) or (apart == 2 and both > 3):
                yield line, title, sorted(names ^ set(registry))


def python_files():
    for folder in ("workbench", "benchmarks"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def test_no_list_of_names_is_nearly_a_registry():
    partial = {name: set() for name in PARTIAL}
    wrong = []
    for path in python_files():
        name = path.relative_to(ROOT).as_posix()
        for line, title, apart in near_copies(path.read_text(encoding="utf-8"), REGISTRIES):
            if title in PARTIAL.get(name, ()):
                partial[name].add(title)
            else:
                wrong.append(f"{name}:{line} is the list of each {title} but for {apart}")
    assert wrong == []
    assert partial == PARTIAL


def test_a_copy_that_was_forgotten_is_found():
    grown = {"interval": (*INTERVALS, "a new one"), "side": ("lower", "two", "upper")}
    literal = f"Interval = Literal{list(INTERVALS)}"
    described = 'def f(side):\n    """Limit.\n\n    side : {"lower", "two"}\n    """'
    assert [*near_copies(literal, grown)] == [(1, "interval", ["a new one"])]
    assert [*near_copies(described, grown)] == [(4, "side", ["upper"])]
    assert [*near_copies(literal, REGISTRIES)] == []


@pytest.mark.parametrize(
    ("literal", "registry"),
    [
        (Interval, INTERVALS),
        (Guarantee, STRATEGIES),
        (Guarantee, PLANS),
        (FamilyName, FAMILIES),
        (Rule, RULES),
        (table_methods.Method, TABLE_METHODS),
    ],
)
def test_an_annotation_has_all_names_of_its_registry(literal, registry):
    assert set(get_args(literal)) == set(registry)


def test_lists_that_stand_apart_for_a_quick_start_are_those_of_the_server():
    assert set(oauth.PROVIDERS) == set(providers.PROVIDERS)
    assert list(who.ROLES) == [role.value for role in Role]
    assert list(oauth.ROLES) == [role.value for role in Role if role is not Role.ADMIN]
    assert set(REPORT_KINDS) == set(write._FORMATS)
    assert set(NEIGHBORING) < set(RELATIONS)
    assert {*PAPER_KINDS, "csv"} == set(FIGURE_KINDS)
    assert set(GUARANTEES) == set(GUARANTEE_HELP) - {"of a family"}


# -- tables of the documentation ------------------------------------------------------------------


def first_column(file, head):
    """The cells of the first column of the table with this head."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {head} |"))
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        yield line.split("|")[1].strip()


def in_quotes(file, head):
    """The names in backticks in the first column, without quotation marks."""
    return {
        name.strip('"')
        for cell in first_column(file, head)
        for name in re.findall(r"`([^`]*)`", cell)
    }


@pytest.mark.parametrize(
    ("file", "head", "registry"),
    [
        ("docs/which-bound.md", "interval", INTERVALS),
        ("docs/which-bound.md", "method", one_run.METHODS),
        ("docs/risk.md", "`attack`", ATTACKS),
        ("docs/training.md", "`kind`", AUDITS),
        ("docs/training.md", "`bug`", [name for name in PROCEDURES if name != "none"]),
        ("docs/score-tables.md", "Layout", LAYOUTS),
        ("docs/synthetic-data.md", "`attack=`", SYNTHETIC_ATTACKS),
        ("docs/saved-audits.md", "Ending", [f".{ending}" for ending in write._FORMATS]),
        ("docs/continuous-integration.md", "format", score_formats.FORMATS),
    ],
)
def test_a_table_of_the_documentation_lists_all_names(file, head, registry):
    assert in_quotes(file, head) == set(registry)


def test_the_documentation_states_which_intervals_keep_their_level():
    text = (ROOT / "docs/which-bound.md").read_text(encoding="utf-8")
    for name, interval in INTERVALS.items():
        (row,) = re.findall(rf'^\|.*`"{name}"`.*$', text, re.M)
        assert ("not guaranteed" in row) == (interval.guarantee == "approximate")


def test_tables_in_words_list_all_names():
    badges = {cell.strip("*").partition("*")[0] for cell in first_column("README.md", "badge")}
    assert badges == {*GUARANTEES, "not valid"}
    assert list(first_column("docs/accounts.md", "role")) == [role.value for role in Role]
    tools = " ".join(first_column("docs/opening-files.md", "Tool"))
    assert [tool.tool for tool in TOOLS if tool.tool.split()[0] not in tools] == []


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("README.md", "Supported formats are"),
        ("docs/installation.md", "Read your own scores with {func}`workbench.read_scores`."),
    ],
)
def test_a_sentence_on_formats_names_all(file, start):
    text = " ".join((ROOT / file).read_text(encoding="utf-8").split())
    sentence = text.partition(start)[2].partition("compressed")[0]
    assert set(re.findall(r"\b[a-z]{3,7}\b", sentence)) >= {e.removeprefix(".") for e in EXTENSIONS}


# -- lists in JavaScript --------------------------------------------------------------------------


def script(name):
    return (ROOT / "workbench/assets/browser" / name).read_text(encoding="utf-8")


def test_every_kind_of_control_has_a_class_in_the_browser():
    (body,) = re.findall(r"^const KINDS = \{(.*?)^\}", script("controls.js"), re.M | re.S)
    classes = re.findall(r"^  (\w+):", body, re.M)
    assert set(classes) == {"job", "number", "slider", *(kind for _, kind in controls._KINDS)}


def test_menus_of_the_browser_offer_all_files():
    (kinds,) = re.findall(r"^const KINDS = \[(.*)\]$", script("chart_menu.js"), re.M)
    assert re.findall(r'\["(\w+)"', kinds) == list(FIGURE_KINDS)
    offered = re.findall(r'^  \["(\w+)", "[^"]*", "[^"]*"\],?$', script("share.js"), re.M)
    assert set(offered) == set(REPORT_KINDS)
