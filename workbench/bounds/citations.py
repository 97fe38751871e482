"""References of the methods: BibTeX for `Bound.cite`, and `references`, a table of all.

The entries are in ``citations.bib``.

Comments and docstrings that name a formula by a key of ``KEYS``, such as "HIST eq. 2.5", mean the
reference of that key.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import __version__

if TYPE_CHECKING:
    import pandas as pd

#: Short name of a much-cited reference -> key of its entry.
KEYS = {
    "AUDITORIUM": "auditorium",
    "BALLE18": "balle-gaussian",
    "BALLE20": "balle-renyi",
    "BITS": "xiang-bits",
    "DONG22": "dong",
    "HIST": "koskela-hist",
    "KAIROUZ15": "kairouz",
    "MAHLOUJIFAR24": "mahloujifar",
    "GDMR25": "gonzalez",
    "KDWZ26": "kutta",
    "NASR23": "nasr",
    "PS22": "papernot-steinke",
    "SELECT": "select",
    "STEINKE23": "steinke",
    "TV": "koskela-tv",
    "ZANELLA23": "zanella",
}


def _read() -> dict[str, str]:
    """The entries of ``citations.bib`` by the key in the comment above each."""
    text = Path(__file__).with_name("citations.bib").read_text(encoding="utf-8")
    _, *parts = re.split(r"^% (\S+)\n", text, flags=re.MULTILINE)
    entries = (entry.strip().replace("VERSION", __version__) for entry in parts[1::2])
    return dict(zip(parts[::2], entries, strict=True))


_ENTRIES = _read()

#: The entry of the workbench itself.
OWN = _ENTRIES["workbench-itself"]

#: Method, as of a `Bound` -> keys of its sources.
_SOURCES = {
    "held-out event": ("auditorium", "berger-boos", "buehler", "zubkov-serov", "kairouz"),
    "variational Rényi divergence": ("auditorium", "birrell", "waudby-smith"),
    "kernel witness function": ("auditorium", "gretton", "waudby-smith"),
    "held-out bins": ("auditorium", "koskela-hist", "berger-boos", "buehler", "kairouz"),
    "betting": ("ville", "waudby-smith", "turner", "gonzalez", "kairouz"),
    "selection by a monotone score": ("select", "dong"),
    "selection by a monotone score (Rényi)": ("select", "balle-renyi"),
    "selection by any score (Rényi)": ("papernot-steinke", "liu-talwar", "balle-renyi"),
    "selection by any score (composition)": ("dong", "papernot-steinke"),
    "block-order search": ("workbench-selection",),
    "order-statistic band": ("workbench", "esary", "kairouz", "dong"),
    "order-statistic test of one question": ("workbench", "esary", "kairouz", "dong"),
    "held-out thresholds": ("workbench", "esary", "gasparin", "kairouz", "dong"),
    "held-out likelihood ratio": ("workbench", "esary", "gasparin", "kairouz", "dong"),
    "Clopper–Pearson at a threshold": ("nasr", "clopper-pearson", "kairouz"),
    "joint exact test": ("berger-boos", "buehler", "clopper-pearson", "zubkov-serov", "kairouz"),
    "Jeffreys at a threshold": ("brown", "nasr", "kairouz"),
    "Wilson at a threshold": ("wilson", "nasr", "kairouz"),
    "Katz-log at a threshold": ("katz", "kairouz"),
    "Bayesian region at a threshold": ("zanella", "koskela-hist", "kairouz"),
    "fixed bins (McDiarmid)": ("koskela-hist", "mcdiarmid"),
    "fixed bins (Canonne)": ("koskela-hist", "canonne"),
    "histogram": ("koskela-hist",),
    "composed histograms": ("koskela-hist",),
    "composed band": ("workbench", "clopper-pearson", "dong"),
    "mean and variance of canaries": ("andrew",),
    "Mann–Whitney": ("mann-whitney",),
    "GDP from TV": ("koskela-hist", "dong"),
    "GDP at a threshold": ("nasr", "dong"),
    "GDP over a range": ("koskela-hist", "dong"),
    "GDP by likelihood": ("dorfman-alf", "metz", "dong"),
    "mean difference (noncentral t)": ("johnson-welch", "dong"),
    "own variances (F and noncentral t)": ("workbench", "johnson-welch"),
    "family within the two-sided band": ("workbench", "clopper-pearson"),
    "family with the band's total variation": ("workbench", "esary", "koskela-hist"),
    "pooled count of false answers": ("clopper-pearson", "kairouz"),
    "one run, Steinke et al. 2023": ("steinke",),
    "one run, sharp": ("workbench-one-run", "steinke"),
    "one run, sum of exposures": ("workbench-one-run", "carlini"),
    "one run, Mahloujifar et al. 2024": ("mahloujifar", "dong"),
    "one run, bits (Clopper–Pearson)": ("xiang-bits", "clopper-pearson", "dong"),
    "one run, bits (Hoeffding)": ("xiang-bits", "hoeffding", "dong"),
    "one run, abstaining bits": ("abstain", "xiang-bits", "dong"),
    "one run, less the baseline": ("panoramia", "workbench-one-run", "steinke"),
    "one run, each record at its propensity": ("zero-run", "workbench-one-run", "steinke"),
    "equivalence at all thresholds": ("berger-iut", "sekhari", "clopper-pearson"),
    "Kolmogorov limits": ("massart", "kairouz"),
    "held-out guesses": ("workbench-tables", "workbench-one-run", "steinke"),
    "held-out records": ("workbench-tables", "workbench", "kairouz"),
    "limits for all records": ("workbench-tables", "workbench", "kairouz"),
    "Holm's procedure": ("workbench-tables", "workbench", "holm"),
    "e-values of records": ("workbench-tables", "vovk-wang"),
    "e-Benjamini–Hochberg": ("workbench-tables", "vovk-wang", "wang-ramdas"),
    "uncorrected maximum": ("workbench-tables",),
    "order-statistic band of pooled scores": ("workbench", "esary", "kairouz", "dong"),
}


#: LaTeX of the entries -> text.
_TEXT = {
    "{\\'a}": "á",
    "{\\'e}": "é",
    "{\\`e}": "è",
    "{\\'E}": "É",
    "{\\'U}": "Ú",
    "{\\'o}": "ó",
    '{\\"o}': "ö",
    '{\\"u}': "ü",
    "{\\~n}": "ñ",
    "\\textsubscript{0}": "₀",
    "``": "“",
    "''": "”",
    "$": "",
    "{": "",
    "}": "",
}


def bibtex(method: str) -> str:
    """The BibTeX entries of a method, one after the other.

    Raises
    ------
    ValueError
        For a method without a known source.
    """
    if method not in _SOURCES:
        raise ValueError(f"no source is known for {method!r}; known: {', '.join(_SOURCES)}")
    return "\n\n".join(_ENTRIES[key] for key in _SOURCES[method])


def with_own(method: str) -> str:
    """The BibTeX entries of a method, if they are known, and that of the workbench itself.

    Parameters
    ----------
    method : str
        As `Bound.method`.
    """
    return "\n\n".join([*(_ENTRIES[key] for key in _SOURCES.get(method, ())), OWN])


def references() -> pd.DataFrame:
    """Table of the references behind the methods, with the short names used for them.

    Returns
    -------
    DataFrame
        A row for each reference, sorted by authors and year, with the columns ``key`` (such as
        "HIST" in "HIST eq. 2.5"; "" for a reference that is always named by its authors),
        ``authors``, ``year``, ``title``, ``published`` and ``bibtex``.

    See Also
    --------
    Bound.cite : BibTeX of the sources of one result.

    Examples
    --------
    >>> table = wb.references().set_index("key")
    >>> print(*table.loc["HIST", ["authors", "year"]])
    Koskela and Mohammadi 2024
    """
    import pandas as pd

    short = {entry: key for key, entry in KEYS.items()}
    rows = [
        {
            "key": short.get(name, ""),
            "authors": _authors(_field(entry, "author")),
            "year": int(_field(entry, "year")),
            "title": _field(entry, "title"),
            "published": next(filter(None, (_field(entry, where) for where in _PUBLISHED)), ""),
            "bibtex": entry,
        }
        for name, entry in _ENTRIES.items()
    ]
    return pd.DataFrame(rows).sort_values(["authors", "year"], ignore_index=True)


#: Fields that say where something was published.
_PUBLISHED = ("journal", "booktitle", "publisher", "note")


def _field(entry: str, name: str) -> str:
    """A field of a BibTeX entry as text; empty where it has none."""
    found = re.search(rf"^  {name} *= \{{(.*?)\}},$", entry, re.MULTILINE | re.DOTALL)
    if not found:
        return ""
    text = found[1]
    for latex, plain in _TEXT.items():
        text = text.replace(latex, plain)
    return " ".join(text.split())


def _authors(names: str) -> str:
    """Last names: of one, of two, or of the first "et al."."""
    last = [name.split(",")[0] for name in names.split(" and ")]
    if len(last) > 2:
        return f"{last[0]} et al."
    return " and ".join(last)
