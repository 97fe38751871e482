"""LaTeX of a bound (`latex_of`), and of any text (`escape`)."""

from __future__ import annotations

import re
import unicodedata

from workbench._format import percent, plain
from workbench.bounds.wording import Wording

#: Letters and signs -> command in a formula.
_COMMANDS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon",
    "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "µ": "mu", "ϵ": "epsilon",
    "≥": "ge", "≤": "le", "≈": "approx", "≠": "ne", "∞": "infty", "×": "times", "·": "cdot",
    "±": "pm", "→": "to", "←": "gets", "∈": "in", "‖": "|", "√": "surd", "½": "frac12",
    "∑": "sum", "∏": "prod", "∫": "int", "∂": "partial",
}  # fmt: skip

#: Character -> LaTeX.
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$",
    ">": "$>$", "|": "$|$", '"': r"\char34{}", "`": r"\char96{}", "'": "'", "−": "$-$",
    "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "…": r"\ldots{}",
    "\u00a0": "~",
    **{sign: f"$\\{name}$" for sign, name in _COMMANDS.items()},
    **{sign: f"$^{{{of}}}$" for sign, of in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)},
    **{sign: f"$_{{{of}}}$" for sign, of in zip("₀₁₂₃₄₅₆₇₈₉₋", "0123456789-", strict=True)},
}  # fmt: skip

#: The last character that every LaTeX since 2018 reads without a package: European letters.
_LETTERS = "\u017f"


def escape(text: str) -> str:
    """Any text as LaTeX that shows it, with Greek letters and relations as formulas.

    Notes
    -----
    Characters that LaTeX's fonts lack, such as emoji, are replaced by their names in brackets.
    """
    line = " ".join(text.split())
    # Two hyphens or apostrophes side by side would become another sign.
    apart = re.sub(r"([-'])(?=\1)", "\\1\u200b", line)
    return "".join(map(_escaped, apart))


def _escaped(sign: str) -> str:
    if sign == "\u200b":
        return "{}"
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign <= _LETTERS and sign.isprintable():
        return sign
    if sign.isprintable():
        return f"[{unicodedata.name(sign, f'U+{ord(sign):04X}').lower()}]"
    return ""


def number(text: str) -> str:
    """A rounded number as the inside of a formula: ``1e-5`` is ``10^{-5}``.

    Parameters
    ----------
    text : str
        From `Bound.rounded` or `workbench._format.plain`.
    """
    text = text.replace("−", "-").replace("∞", r"\infty")
    mantissa, _, power = text.partition("e")
    if not power:
        return mantissa
    ten = f"10^{{{int(power)}}}"
    return ten if float(mantissa) == 1 else rf"{mantissa} \times {ten}"


def latex_of(bound: Wording) -> str:
    r"""A bound in LaTeX; see `Bound.to_latex`."""
    level = percent(bound.confidence or 0)
    terms = [
        escape(f"{term} confidence" if term in (level, f"{level} two-sided") else term)
        for term in bound.terms
    ]
    relation = {"≥": r"\ge", "≤": r"\le", "in": r"\in", "≈": r"\approx"}[bound.relation]
    if bound.relation == "in":
        low, high = bound.rounded.split(" to ")
        value = f"[{number(low)}, {number(high)}]"
    else:
        value = number(bound.rounded)
    what, where = _quantity(bound)
    return f"{what} {relation} {value}${where} ({', '.join(terms)})"


def _quantity(bound: Wording) -> tuple[str, str]:
    """The beginning of the formula, and what follows after it."""
    at = bound.at
    symbols = {
        "epsilon": r"$\varepsilon",
        "mu": r"$\mu",
        "total variation": r"$\mathrm{TV}",
        "auc": r"$\mathrm{AUC}",
        "tpr": r"$\mathrm{TPR}",
        "delta": r"$\delta",
        "precision": r"$\mathrm{precision}",
        "renyi": r"R\'enyi divergence $D",
    }
    where = ""
    if bound.quantity == "epsilon" and at.delta is not None:
        where = rf" at $\delta = {number(plain(at.delta))}$"
    elif bound.quantity == "delta" and at.epsilon is not None:
        where = rf" at $\varepsilon = {number(plain(at.epsilon))}$"
    elif bound.quantity == "tpr" and at.fpr is not None:
        where = rf" at $\mathrm{{FPR}} = {number(plain(at.fpr))}$"
    elif bound.quantity == "precision" and at.prior is not None:
        where = f" at a prior of ${number(plain(at.prior))}$"
    elif bound.quantity == "renyi" and at.order is not None:
        return rf"R\'enyi divergence $D_{{{number(plain(at.order))}}}", ""
    return symbols[bound.quantity], where
