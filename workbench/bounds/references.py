"""BibTeX of the methods, for `Bound.cite`."""

from __future__ import annotations

_ENTRIES = {
    "koskela-hist": """@article{koskela2024auditing,
  title  = {Auditing Differential Privacy Guarantees Using Density Estimation},
  author = {Koskela, Antti and Mohammadi, Jafar},
  year   = {2024},
  note   = {arXiv:2406.04827},
}""",
    "kairouz": """@inproceedings{kairouz2015composition,
  title     = {The Composition Theorem for Differential Privacy},
  author    = {Kairouz, Peter and Oh, Sewoong and Viswanath, Pramod},
  booktitle = {International Conference on Machine Learning},
  year      = {2015},
}""",
    "nasr": """@inproceedings{nasr2023tight,
  title     = {Tight Auditing of Differentially Private Machine Learning},
  author    = {Nasr, Milad and Hayes, Jamie and Steinke, Thomas and Balle, Borja and
               Tram{\\`e}r, Florian and Jagielski, Matthew and Carlini, Nicholas and
               Terzis, Andreas},
  booktitle = {USENIX Security Symposium},
  year      = {2023},
}""",
    "dong": """@article{dong2022gaussian,
  title   = {Gaussian Differential Privacy},
  author  = {Dong, Jinshuo and Roth, Aaron and Su, Weijie J.},
  journal = {Journal of the Royal Statistical Society Series B},
  volume  = {84},
  year    = {2022},
}""",
    "clopper-pearson": """@article{clopper1934use,
  title   = {The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial},
  author  = {Clopper, C. J. and Pearson, E. S.},
  journal = {Biometrika},
  volume  = {26},
  year    = {1934},
}""",
    "canonne": """@article{canonne2020short,
  title  = {A Short Note on Learning Discrete Distributions},
  author = {Canonne, Cl{\\'e}ment L.},
  year   = {2020},
  note   = {arXiv:2002.11457},
}""",
    "mcdiarmid": """@incollection{mcdiarmid1989method,
  title     = {On the Method of Bounded Differences},
  author    = {McDiarmid, Colin},
  booktitle = {Surveys in Combinatorics},
  year      = {1989},
}""",
    "workbench": """@software{dp_audit_workbench,
  title = {DP Audit Workbench},
  note  = {Simultaneous order-statistic band for the trade-off function},
}""",
    "johnson-welch": """@article{johnson1940applications,
  title   = {Applications of the Non-Central t-Distribution},
  author  = {Johnson, N. L. and Welch, B. L.},
  journal = {Biometrika},
  volume  = {31},
  year    = {1940},
}""",
    "mann-whitney": """@article{mann1947test,
  title   = {On a Test of Whether One of Two Random Variables is Stochastically Larger than
             the Other},
  author  = {Mann, H. B. and Whitney, D. R.},
  journal = {The Annals of Mathematical Statistics},
  volume  = {18},
  year    = {1947},
}""",
}

_SOURCES = {
    "order-statistic band": ("workbench", "clopper-pearson", "kairouz", "dong"),
    "Clopper–Pearson at a threshold": ("nasr", "clopper-pearson", "kairouz"),
    "fixed bins (McDiarmid)": ("koskela-hist", "mcdiarmid"),
    "fixed bins (Canonne)": ("koskela-hist", "canonne"),
    "histogram": ("koskela-hist",),
    "Mann–Whitney": ("mann-whitney",),
    "GDP from TV": ("koskela-hist", "dong"),
    "GDP at a threshold": ("nasr", "dong"),
    "GDP over a range": ("koskela-hist", "dong"),
    "mean difference (noncentral t)": ("johnson-welch", "dong"),
    "family within the two-sided band": ("workbench", "clopper-pearson"),
    "pooled count of false answers": ("clopper-pearson", "kairouz"),
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
