"""Plug-ins that are broken are named and left out, once; sound ones are where they should be."""

import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from helpers.servers import ROOT

import workbench as wb
from workbench.bounds.counts.intervals import INTERVALS
from workbench.claims.parse import CLAIM_KINDS, parse_claim
from workbench.cli import main
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.registry import PAGES
from workbench.pairs.own.kinds import PAIR_KINDS
from workbench.reports.write import FORMATS
from workbench.scores.layouts.tools import OTHER_TOOLS, recognized
from workbench.scores.table import DataTable
from workbench.software.plugins import GROUPS, LOADED, PluginWarning, Registry, resolve_name
from workbench.tables.layouts.registry import LAYOUTS
from workbench.testers.property_testers.registry import TESTERS

REGISTRIES = {group: resolve_name(where) for group, where in GROUPS.items()}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """``install(package, code, entry points by group)``: a package, as pip leaves it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(package, code, **groups):
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        about = tmp_path / f"{module}-1.2.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        lines = []
        for group, entries in groups.items():
            lines += [f"[workbench.{group}]", *entries]
        (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        for registry in REGISTRIES.values():
            registry.forget()

    before = set(sys.modules)
    yield write
    monkeypatch.undo()
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    for registry in REGISTRIES.values():
        registry.forget()


def statuses():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)
        table = wb.software.plugins()
    return dict(zip(table["name"], table["status"], strict=True))


@pytest.mark.parametrize("group", GROUPS)
def test_a_plug_in_that_raises_at_import_is_named_and_left_out(install, group):
    install(
        "broken", "raise RuntimeError('no license\\nfound')", **{group[10:]: ["bad = broken:X"]}
    )
    registry = REGISTRIES[group]
    with pytest.warns(PluginWarning) as caught:
        names = list(registry)
    assert names == list(registry.ours)
    (warning,) = caught
    words = str(warning.message)
    assert words == (
        f"the plug-in 'bad' of broken 1.2 is left out ({group}: broken:X): RuntimeError: no "
        "license found; mend it, or remove it with: pip uninstall broken"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "bad" not in registry  # one warning
    assert statuses() == {"bad": "RuntimeError: no license found"}


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit('bye')", "it ended the program (SystemExit: bye)"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("Y = 1", "AttributeError: module 'broken' has no attribute 'X'"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "E"),
        ("X = (", "SyntaxError: '(' was never closed (broken.py, line 1)"),
        (
            "X = 7",
            "it must be a wb.CountInterval, such as wb.CountInterval.of_rates(…); got 7, a int",
        ),
    ],
)
def test_whatever_it_does_the_program_goes_on(install, code, says):
    install("broken", code, intervals=["bad = broken:X"])
    with pytest.warns(PluginWarning, match="left out"):
        assert list(INTERVALS) == list(INTERVALS.ours)
    assert statuses()["bad"] == says
    counts = {"tp": 9, "fp": 1, "tn": 9, "fn": 1}
    assert wb.epsilon_from_counts(**counts, delta=0.0).value > 0
    with pytest.raises(ValueError, match=r"interval must be one of 'joint', .*; got 'bad'"):
        wb.epsilon_from_counts(**counts, delta=0.0, interval="bad")


NONSENSE = """
import numpy as np
import workbench as wb

class Claim: pass
class OtherWord(wb.GDP):
    word = "another"
class Bare: pass
def add(a): return 1
label = wb.CountInterval("", "pointwise", "m", lambda *a: 0.0)
promise = wb.CountInterval("L", "exact", "m", lambda *a: 0.0)
text = wb.CountInterval("L", "pointwise", "m", lambda *a: "much")
no_pair = wb.PairKind("L", lambda scale: 3, {"scale": (1, 2)})
others = wb.PairKind("L", lambda scale: wb.GaussianPair(scale), {"scale": (1, 2)})
class Greedy:
    def recognize(self, tables):
        return wb.Recognized("mine", ("a",))
card = wb.mechanism("laplace-mean")
"""


@pytest.mark.parametrize(
    ("group", "name", "what", "says"),
    [
        ("claims", "mine", "Claim", "must be a class derived from wb.Claim"),
        ("claims", "mine", "OtherWord", "has word = 'another', which must be the name"),
        ("claims", "gdp", "OtherWord", "the workbench has that name"),
        ("claims", "laplace", "OtherWord", "the workbench has a pair of that name"),
        ("claims", "My Claim", "OtherWord", "its name must be lower-case letters"),
        ("testers", "mine", "Bare", "must be a class derived from wb.Tester"),
        ("testers", "mmd", "Bare", "the workbench has that name"),
        ("intervals", "mine", "label", "its label must be its name on the pages"),
        ("intervals", "mine", "promise", "its guarantee must be one of 'pointwise', 'approximate'"),
        ("intervals", "mine", "text", "its limit on ε"),
        ("intervals", "joint", "label", "the workbench has that name"),
        ("pairs", "mine", "no_pair", "what it builds must be a pair"),
        ("pairs", "mine", "others", "has the parameters {'mu': 1.0}, which must be the arguments"),
        ("pairs", "dpsgd", "no_pair", "the workbench has that name"),
        ("pairs", "approx", "no_pair", "the workbench has that name"),
        ("pages", "mine", "Bare", "must be a class derived from wb.pages.Page"),
        ("pages", "scores", "Bare", "the workbench has that name"),
        ("layouts", "mine", "Bare", "must have a method recognize"),
        ("layouts", "mine", "Greedy", "it recognizes a table without any column of its own"),
        ("table_layouts", "mine", "Bare", "must have name, about, recognizes"),
        ("mechanisms", "mine", "add", "it must be a wb.Mechanism"),
        ("mechanisms", "mine", "card", "its name is 'laplace-mean', which must be 'mine'"),
        ("report_formats", "html", "add", "the workbench has that name"),
        ("report_formats", "mine", "Bare", "it must be a function of a wb.Audit"),
    ],
)
def test_nonsense_is_left_out_with_what_it_should_be(install, group, name, what, says):
    install("nonsense", NONSENSE, **{group: [f"{name} = nonsense:{what}"]})
    registry = REGISTRIES[f"workbench.{group}"]
    with pytest.warns(PluginWarning, match="nonsense 1.2"):
        assert list(registry) == list(registry.ours)
    assert says in statuses()[name]


def test_of_two_plug_ins_of_one_name_the_first_is_kept(install):
    code = "import workbench as wb\nX = wb.PairKind({!r}, wb.named_pair, {{'scale': (1, 2)}})"
    pair = (
        "import workbench as wb\n"
        "def made(scale):\n"
        "    return wb.Pair.from_functions(name='L', parameters={'scale': scale},\n"
        "                                  profile=wb.LaplacePair(scale).profile)\n"
        "X = wb.PairKind('One', made, {'scale': (1, 2)})\n"
    )
    install("first", pair, pairs=["mine = first:X"])
    install("second", code.format("Two"), pairs=["mine = second:X"])
    with pytest.warns(PluginWarning, match="second 1.2 .*: the package first has that name"):
        assert PAIR_KINDS["mine"].label == "One"
    table = wb.software.plugins()
    assert list(table["status"]) == [LOADED, "the package first has that name; keep one of the two"]
    assert wb.parse_claim("mine(1.5)").pair.epsilon(0.0) == pytest.approx(1.5)


def test_ours_are_asked_for_without_looking_for_plug_ins(install):
    install("broken", "raise RuntimeError", intervals=["bad = broken:X"], claims=["x = broken:X"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert INTERVALS["joint"].guarantee == "pointwise"
        assert parse_claim("gdp(1)") == wb.GDP(1)
        assert parse_claim("laplace(1)").pair == wb.LaplacePair(1)
        assert TESTERS["mmd"][1] == "MMDTester"
        assert PAIR_KINDS["gaussian"].label == "Gaussian"
        assert PAGES["counts"].title == "Counts"
        assert wb.mechanism("svt3") is GALLERY["svt3"]


def test_importing_the_library_looks_for_no_plug_ins():
    code = (
        "import sys, workbench as wb; wb.GaussianPair(1).epsilon(1e-5); "
        "wb.Counts(tp=1, fp=1, tn=1, fn=1).epsilon(delta=0.0); wb.parse_claim('gdp(1)'); "
        "loaded = sys.modules.get('workbench.software.plugins'); "
        "print(bool(loaded and loaded._entry_points.cache_info().currsize))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_plug_in_may_use_what_it_extends(install):
    code = (
        "import workbench as wb\n"
        "assert wb.parse_claim('gdp(1)') == wb.GDP(1)\n"
        "from workbench.claims.parse import claim_forms\n"
        "forms = claim_forms()\n"
        "class Mine(wb.GDP):\n"
        "    word, example, title = 'mine', 'mine(1)', 'My DP'\n"
    )
    install("own", code, claims=["mine = own:Mine"])
    assert str(parse_claim("mine(0.5)")) == "mine(0.5)"
    assert "'mine(MU)'" in resolve_name("workbench.claims.parse:claim_forms")()


def test_all_threads_get_the_same(install):
    code = (
        "import time, workbench as wb\ntime.sleep(0.2)\n"
        "X = wb.CountInterval.of_rates('X', 'pointwise', *(wb.binomial.clopper_pearson_lower,"
        " wb.binomial.clopper_pearson_upper))\n"
    )
    install("slow", code, intervals=["slow = slow:X"])
    found = []
    threads = [threading.Thread(target=lambda: found.append(INTERVALS["slow"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(one) for one in found}) == 1


def test_a_layout_that_fails_is_passed_over(install):
    code = (
        "import workbench as wb\n"
        "class Bad:\n"
        "    def recognize(self, tables):\n"
        "        if 'no such column' in tables[0].columns: return None\n"
        "        if 'x' in tables[0].columns:\n"
        "            return wb.Recognized('bad', ('x',), sides=('x', 'y'))\n"
        "        raise KeyError('oh')\n"
    )
    install("badly", code, layouts=["bad = badly:Bad"])
    table = DataTable("t", {"in": np.arange(5.0), "out": np.arange(5.0)}, "csv")
    with pytest.warns(
        PluginWarning, match="'bad' of a plug-in failed and is passed over: KeyError"
    ):
        assert recognized((table,)) is None
    other = DataTable("t", {"x": np.arange(5.0)}, "csv")
    with pytest.warns(PluginWarning, match="it names the columns 'y', which are not there"):
        assert recognized((other,)) is None
    assert list(OTHER_TOOLS) == ["bad"]
    ours = DataTable("t", {"signal_values": np.arange(5.0), "true_labels": np.arange(5)}, "csv")
    assert recognized((ours,)).tool == "LeakPro result"


def test_a_report_format_that_fails_says_which_it_is(install, tmp_path):
    code = "def fails(audit): raise KeyError('oh')\ndef number(audit): return 3\n"
    install("reports", code, report_formats=["oops = reports:fails", "num = reports:number"])
    audit = wb.audit(wb.GaussianPair(1).sample(50))
    with pytest.raises(
        wb.ReportError, match=r"\.oops of a plug-in failed: KeyError.*another ending"
    ):
        audit.report(tmp_path / "a.oops")
    with pytest.raises(wb.ReportError, match=r"\.num of a plug-in gave 3"):
        audit.report(tmp_path / "a.num")
    with pytest.raises(ValueError, match=r"a report ends in .*\.ipynb, \.num, \.oops; got 'a.doc'"):
        audit.report(tmp_path / "a.doc")


def test_the_command_lists_them_all(install, capsys):
    assert main(["plugins"]) == 0
    assert "No package adds anything" in capsys.readouterr().out
    install("broken", "raise RuntimeError('boom')", pages=["bad = broken:X"])
    assert main(["plugins"]) == 1
    out = capsys.readouterr().out
    assert "workbench.pages: bad, of broken 1.2 (broken:X)\n  RuntimeError: boom\n" in out


def test_damaged_metadata_ends_nothing(install, tmp_path):
    install("damaged", "X = 1", pairs=["mine = damaged:X"])
    (tmp_path / "damaged-1.2.dist-info" / "METADATA").write_text("")
    (tmp_path / "damaged-1.2.dist-info" / "entry_points.txt").write_text(
        "[workbench.pairs]\nmine = not an object!\n[[\n"
    )
    PAIR_KINDS.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)
        assert list(PAIR_KINDS) == list(PAIR_KINDS.ours)


def test_a_registry_says_what_is_in_it():
    registry = Registry("workbench.pairs", {"a": 1}, lambda name, found: found)
    assert repr(registry) == "Registry(a)"
    assert len(registry) == 1
    with pytest.raises(KeyError):
        registry["b"]
    with registry.trying("b", 2) as two:
        assert (two, registry["b"], "b" in registry, list(registry)) == (2, 2, True, ["a", "b"])
    assert "b" not in registry
    with pytest.raises(ValueError, match="the workbench has that name"), registry.trying("a", 2):
        pass


def test_no_name_of_ours_would_be_refused_as_a_plug_in():
    for registry in (*REGISTRIES.values(), CLAIM_KINDS, FORMATS, LAYOUTS):
        for name in registry.ours:
            Registry(registry.group, {}, lambda name, found: found)._check_name(name, {})


ALL_IN_ONE = """
import dataclasses
import param
import workbench as wb
from workbench.pages import Control, Fact, Page, Section, number
from workbench.testers.property_testers.hockey_stick import HockeyStickTester

@dataclasses.dataclass(frozen=True)
class Mine(wb.GDP):
    word, example, title = "mine", "mine(1)", "My DP"

class MyTester(HockeyStickTester):
    name = "my-tester"

limits = wb.binomial.clopper_pearson_lower, wb.binomial.clopper_pearson_upper
INTERVAL = wb.CountInterval.of_rates("My interval", "pointwise", *limits)

def made(scale):
    profile = wb.LaplacePair(scale).profile
    return wb.Pair.from_functions(name="My", parameters={"scale": scale}, profile=profile)

PAIR = wb.PairKind("My pair", made, {"scale": (0.1, 3)})

class MyPage(Page):
    title, about = "My page", "What is mine?"
    controls = (Section("All", (Control("a"),)),)
    a = param.Number(0.5, bounds=(0, 1), label="a")

    @number("A", needs=("a",))
    def shown(self):
        "The number."
        return Fact(f"{self.a}")

def text(audit):
    return audit.page
"""

EVERYWHERE = """
t = wb.software.plugins()
assert len(t) == 6 and set(t.status) == {"loaded"}, t.to_string()
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.scores.page import ScoresPage
p, s = MechanismPage(), ScoresPage()
assert "My interval" in s.param.interval.get_range()
assert "My DP" in p.param.claim_kind.get_range()
assert {"mine", "my-pair"} <= set(s.param.claim_kind.get_range().values())
assert "my-pair" in s.param.reference_kind.get_range().values()
assert "tester_my_tester" in p.param
print("fine")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", ["wb.parse_claim('mine(1)')", "import workbench.pages.scores.threshold"]
)
def test_plug_ins_of_one_module_are_all_there_whatever_is_asked_first(install, tmp_path, first):
    install(
        "all-in-one",
        ALL_IN_ONE,
        claims=["mine = all_in_one:Mine"],
        testers=["my-tester = all_in_one:MyTester"],
        intervals=["my-interval = all_in_one:INTERVAL"],
        pairs=["my-pair = all_in_one:PAIR"],
        pages=["my-page = all_in_one:MyPage"],
        report_formats=["mine = all_in_one:text"],
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import workbench as wb\n{first}\n{EVERYWHERE}"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "fine", done.stderr
