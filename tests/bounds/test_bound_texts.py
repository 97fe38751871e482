"""Bounds as text for papers: sentence, LaTeX, BibTeX."""

import re
from dataclasses import replace

import pytest

import workbench as wb
from workbench.bounds import citations
from workbench.bounds.latex import escape, number
from workbench.bounds.quantities import QuantityArguments

COUNTS = {"tp": 400, "fp": 100, "tn": 400, "fn": 100}
BOUND = wb.epsilon_from_counts(**COUNTS, delta=1e-5)

NASTY = (
    "100% of a_b & c # {x} ~ ^ \\ $5$",
    "\\input{/etc/passwd} \\\\ \\write18{rm}",
    '<img src=x onerror="alert(1)">',
    "a--b ''c'' `d` ?` <<e>>",
    "x" * 10_000,
    "{}{}}}{{ \\end{document}",
    "line\nbreak\ttab\x00null",
)


def balanced(latex):
    """Whether braces and dollar signs of LaTeX come in pairs."""
    bare = re.sub(r"\\[\\{}$&#_%]", "", latex)
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0 and bare.count("$") % 2 == 0


def active(latex):
    """Signs with a meaning in LaTeX, outside of commands and formulas."""
    text = re.sub(r"\\[{}$&#_%]", "", latex)
    text = re.sub(r"\\(text\w+|ldots|char\d+)\{\}", "", text)
    text = re.sub(r"\$[^$]*\$", "", text).replace("{}", "")
    return set(text) & set("\\{}$&#_%~^")


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_only_text_in_latex(text):
    latex = escape(text)
    assert balanced(latex)
    assert active(latex) == set()
    assert "\n" not in latex
    assert latex.isprintable()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a & b_c 5% #1 $x", r"a \& b\_c 5\% \#1 \$x"),
        ("{x}", r"\{x\}"),
        ("~ ^ \\", r"\textasciitilde{} \textasciicircum{} \textbackslash{}"),
        (
            "ε ≥ μ², log₁₀ n → ∞",
            r"$\varepsilon$ $\ge$ $\mu$$^{2}$, log$_{1}$$_{0}$ n $\to$ $\infty$",
        ),
        ("Clopper–Pearson, Rényi", "Clopper--Pearson, Rényi"),
        ("a--b", "a-{}-b"),
        ("“quoted”…", r"``quoted''\ldots{}"),
        ("🎉 日", "[party popper] [cjk unified ideograph-65e5]"),
    ],
)
def test_signs_of_latex(text, latex):
    assert escape(text) == latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("1.62", "1.62"),
        ("1e-5", "10^{-5}"),
        ("3.16e-5", r"3.16 \times 10^{-5}"),
        ("1.00e-7", "10^{-7}"),
        ("∞", r"\infty"),
        ("−∞", r"-\infty"),
        ("0", "0"),
    ],
)
def test_numbers_in_formulas(text, latex):
    assert number(text) == latex


@pytest.mark.parametrize(
    ("quantity", "at", "expected"),
    [
        ("epsilon", {"delta": 1e-5}, r"$\varepsilon \ge 1.16$ at $\delta = 10^{-5}$"),
        ("epsilon", {}, r"$\varepsilon \ge 1.16$"),
        ("mu", {}, r"$\mu \ge 1.16$"),
        ("delta", {"epsilon": 0.5}, r"$\delta \ge 1.16$ at $\varepsilon = 0.5$"),
        ("tpr", {"fpr": 0.01}, r"$\mathrm{TPR} \ge 1.16$ at $\mathrm{FPR} = 0.01$"),
        ("precision", {"prior": 0.5}, r"$\mathrm{precision} \ge 1.16$ at a prior of $0.5$"),
        ("renyi", {"order": 2.0}, r"R\'enyi divergence $D_{2} \ge 1.16$"),
        ("total variation", {}, r"$\mathrm{TV} \ge 1.16$"),
        ("auc", {}, r"$\mathrm{AUC} \ge 1.16$"),
    ],
)
def test_every_quantity_in_latex(quantity, at, expected):
    bound = replace(BOUND, quantity=quantity, at=QuantityArguments(**at))
    terms = r"(pointwise, 95\% confidence, assuming independent rows)"
    assert bound.to_latex() == f"{expected} {terms}"
    assert balanced(bound.to_latex())


def test_every_side_in_latex():
    assert r"\le 1.17$" in replace(BOUND, side="upper").to_latex()
    two = wb.epsilon_from_counts(**COUNTS, delta=1e-5, side="two").to_latex()
    assert r"\in [1.13, 1.65]$" in two
    assert r"95\% two-sided confidence" in two
    estimate = replace(BOUND, guarantee="estimate", confidence=None).to_latex()
    assert r"\approx" in estimate
    assert "(estimate," in estimate
    assert r"\ge \infty$" in replace(BOUND, value=float("inf")).to_latex()


def test_a_family_is_part_of_it():
    latex = replace(BOUND, family="Gaussian", checked="not refuted").to_latex()
    assert "if the pair is Gaussian" in latex


@pytest.mark.parametrize("reason", ["chosen after looking: the threshold changed", *NASTY])
def test_a_bound_that_is_not_valid_says_so_in_every_form(reason):
    texts = wb.bound_texts(BOUND.voided(reason))
    assert "This number is not valid" in texts["sentence"]
    assert "(not valid, " in texts["latex"]
    assert escape(reason) in texts["latex"]
    first, _, entries = texts["bibtex"].partition("\n\n")
    assert first.startswith("% The bound is not valid: ")
    assert "@" not in first
    assert "\n" not in first
    assert entries.startswith("@")


def test_all_forms_of_a_bound():
    texts = wb.bound_texts(BOUND)
    assert set(texts) == {"sentence", "latex", "bibtex"}
    assert texts["sentence"] == BOUND.explain()
    assert texts["latex"] == BOUND.to_latex()
    assert texts["bibtex"].startswith(BOUND.cite())
    assert texts["bibtex"].count("@software{dp_audit_workbench,") == 1


def test_a_method_without_a_known_source_still_cites_the_workbench():
    texts = wb.bound_texts(replace(BOUND, method="of tomorrow"))
    assert texts["bibtex"].startswith("@software{dp_audit_workbench,")
    with pytest.raises(ValueError, match="no source is known"):
        replace(BOUND, method="of tomorrow").cite()


def test_the_entries_of_the_workbench_are_complete():
    own = [entry for entry in citations._ENTRIES.values() if "dp_audit_workbench" in entry]
    assert len(own) == 5
    for entry in own:
        assert balanced(entry)
        for field in ("title", "author", "year", "version", "url"):
            assert re.search(rf"^  {field} += {{.+}},$", entry, re.MULTILINE), (entry, field)
        assert f"version = {{{wb.__version__}}}" in entry


def test_keys_of_entries_are_unique():
    keys = [re.match(r"@\w+\{(.+?),", entry)[1] for entry in citations._ENTRIES.values()]
    assert len(keys) == len(set(keys))


def test_a_verdict_in_latex():
    scores = wb.GaussianPair(3.0).sample(2000, seed=1)
    latex = wb.judge(scores, "approx(1, 1e-5)").to_latex()
    assert latex.startswith("The claim ``approx(1, 1e-5)'' is refuted with 95\\% confidence")
    assert balanced(latex)
    assert active(latex) == set()


def test_what_is_no_bound_is_refused():
    with pytest.raises(TypeError, match=r"bound must be a workbench\.Bound"):
        wb.bound_texts(1.0)
