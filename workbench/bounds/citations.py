"""References of the methods: BibTeX for `Bound.cite`, and `references`, a table of all.

Comments and docstrings that name a formula by a key of ``KEYS``, such as "HIST eq. 2.5", mean the
reference of that key.
"""

from __future__ import annotations

import re
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

#: Where the workbench is published.
HOME = "https://pypi.org/project/dp-audit-workbench/"


def _own(key: str, note: str = "") -> str:
    """The entry of the workbench, with a note on the method of its own."""
    more = f"\n  note    = {{{note}}}," if note else ""
    return f"""@software{{dp_audit_workbench{key},
  title   = {{{{DP}} Audit Workbench}},
  author  = {{{{The DP Audit Workbench authors}}}},
  year    = {{2026}},
  version = {{{__version__}}},
  url     = {{{HOME}}},{more}
}}"""


_ENTRIES = {
    "auditorium": """@article{kong2023auditorium,
  title  = {{DP-Auditorium}: A Large Scale Library for Auditing Differential Privacy},
  author = {Kong, William and Mu{\\~n}oz Medina, Andr{\\'e}s and Ribero, M{\\'o}nica and
            Syed, Umar},
  year   = {2023},
  note   = {arXiv:2307.05608},
}""",
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
    "balle-subsampling": """@inproceedings{balle2018subsampling,
  title     = {Privacy Amplification by Subsampling: Tight Analyses via Couplings and Divergences},
  author    = {Balle, Borja and Barthe, Gilles and Gaboardi, Marco},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2018},
}""",
    "zhu": """@inproceedings{zhu2022optimal,
  title     = {Optimal Accounting of Differential Privacy via Characteristic Function},
  author    = {Zhu, Yuqing and Dong, Jinshuo and Wang, Yu-Xiang},
  booktitle = {International Conference on Artificial Intelligence and Statistics},
  year      = {2022},
}""",
    "gomez": """@article{gomez2025gaussian,
  title  = {Gaussian {DP} for Reporting Differential Privacy Guarantees in Machine Learning},
  author = {Gomez, Juan Felipe and Kulynych, Bogdan and Kaissis, Georgios and
            du Pin Calmon, Flavio and Hayes, Jamie and Balle, Borja and Honkela, Antti},
  year   = {2025},
  note   = {arXiv:2503.10945},
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
    "brown": """@article{brown2001interval,
  title   = {Interval Estimation for a Binomial Proportion},
  author  = {Brown, Lawrence D. and Cai, T. Tony and DasGupta, Anirban},
  journal = {Statistical Science},
  volume  = {16},
  year    = {2001},
}""",
    "wilson": """@article{wilson1927probable,
  title   = {Probable Inference, the Law of Succession, and Statistical Inference},
  author  = {Wilson, Edwin B.},
  journal = {Journal of the American Statistical Association},
  volume  = {22},
  year    = {1927},
}""",
    "katz": """@article{katz1978obtaining,
  title   = {Obtaining Confidence Intervals for the Risk Ratio in Cohort Studies},
  author  = {Katz, D. and Baptista, J. and Azen, S. P. and Pike, M. C.},
  journal = {Biometrics},
  volume  = {34},
  year    = {1978},
}""",
    "zanella": """@inproceedings{zanella2023bayesian,
  title     = {Bayesian Estimation of Differential Privacy},
  author    = {Zanella-B{\\'e}guelin, Santiago and Wutschitz, Lukas and Tople, Shruti and
               Salem, Ahmed and R{\\"u}hle, Victor and Paverd, Andrew and Naseri, Mohammad and
               K{\\"o}pf, Boris and Jones, Daniel},
  booktitle = {International Conference on Machine Learning},
  year      = {2023},
}""",
    "berger-boos": """@article{berger1994values,
  title   = {P Values Maximized over a Confidence Set for the Nuisance Parameter},
  author  = {Berger, Roger L. and Boos, Dennis D.},
  journal = {Journal of the American Statistical Association},
  volume  = {89},
  year    = {1994},
}""",
    "buehler": """@article{buehler1957confidence,
  title   = {Confidence Intervals for the Product of Two Binomial Parameters},
  author  = {Buehler, Robert J.},
  journal = {Journal of the American Statistical Association},
  volume  = {52},
  year    = {1957},
}""",
    "zubkov-serov": """@article{zubkov2013complete,
  title   = {A Complete Proof of Universal Inequalities for the Distribution Function of the
             Binomial Law},
  author  = {Zubkov, A. M. and Serov, A. A.},
  journal = {Theory of Probability and Its Applications},
  volume  = {57},
  year    = {2013},
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
    "workbench-itself": _own(""),
    "workbench": _own("_band", "Simultaneous order-statistic band for the trade-off function"),
    "johnson-welch": """@article{johnson1940applications,
  title   = {Applications of the Non-Central t-Distribution},
  author  = {Johnson, N. L. and Welch, B. L.},
  journal = {Biometrika},
  volume  = {31},
  year    = {1940},
}""",
    "workbench-selection": _own(
        "_selection", "Search over orders of the outputs for the selection that leaks most"
    ),
    "ville": """@book{ville1939etude,
  title     = {{\\'E}tude critique de la notion de collectif},
  author    = {Ville, Jean},
  publisher = {Gauthier-Villars},
  year      = {1939},
}""",
    "waudby-smith": """@article{waudbysmith2024estimating,
  title   = {Estimating Means of Bounded Random Variables by Betting},
  author  = {Waudby-Smith, Ian and Ramdas, Aaditya},
  journal = {Journal of the Royal Statistical Society Series B},
  volume  = {86},
  year    = {2024},
}""",
    "birrell": """@article{birrell2021variational,
  title   = {Variational Representations and Neural Network Estimation of R{\\'e}nyi Divergences},
  author  = {Birrell, Jeremiah and Dupuis, Paul and Katsoulakis, Markos A. and Rey-Bellet, Luc and
             Wang, Jie},
  journal = {SIAM Journal on Mathematics of Data Science},
  volume  = {3},
  year    = {2021},
  note    = {arXiv:2007.03814},
}""",
    "gretton": """@article{gretton2012kernel,
  title   = {A Kernel Two-Sample Test},
  author  = {Gretton, Arthur and Borgwardt, Karsten M. and Rasch, Malte J. and
             Sch{\\"o}lkopf, Bernhard and Smola, Alexander},
  journal = {Journal of Machine Learning Research},
  volume  = {13},
  year    = {2012},
}""",
    "turner": """@article{turner2024generic,
  title   = {Generic {E}-Variables for Exact Sequential k-Sample Tests that Allow for Optional
             Stopping},
  author  = {Turner, Rosanne J. and Ly, Alexander and Gr{\\"u}nwald, Peter D.},
  journal = {Journal of Statistical Planning and Inference},
  volume  = {230},
  year    = {2024},
}""",
    "esary": """@article{esary1967association,
  title   = {Association of Random Variables, with Applications},
  author  = {Esary, J. D. and Proschan, F. and Walkup, D. W.},
  journal = {The Annals of Mathematical Statistics},
  volume  = {38},
  year    = {1967},
}""",
    "gasparin": """@article{gasparin2025combining,
  title   = {Combining Exchangeable p-Values},
  author  = {Gasparin, Matteo and Wang, Ruodu and Ramdas, Aaditya},
  journal = {Proceedings of the National Academy of Sciences},
  year    = {2025},
  note    = {arXiv:2404.03484},
}""",
    "mann-whitney": """@article{mann1947test,
  title   = {On a Test of Whether One of Two Random Variables is Stochastically Larger than
             the Other},
  author  = {Mann, H. B. and Whitney, D. R.},
  journal = {The Annals of Mathematical Statistics},
  volume  = {18},
  year    = {1947},
}""",
    "workbench-one-run": _own(
        "_one_run", "Sharp limit for guesses on canaries under approximate differential privacy"
    ),
    "steinke": """@inproceedings{steinke2023privacy,
  title     = {Privacy Auditing with One (1) Training Run},
  author    = {Steinke, Thomas and Nasr, Milad and Jagielski, Matthew},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2023},
}""",
    "mahloujifar": """@misc{mahloujifar2024auditing,
  title  = {Auditing $f$-Differential Privacy in One Run},
  author = {Mahloujifar, Saeed and Melis, Luca and Chaudhuri, Kamalika},
  year   = {2024},
  note   = {arXiv:2410.22235; International Conference on Machine Learning 2025},
}""",
    "xiang-bits": """@inproceedings{xiang2025privacy,
  title     = {Privacy Audit as Bits Transmission: (Im)possibilities for Audit by One Run},
  author    = {Xiang, Zihang and Wang, Tianhao and Wang, Di},
  booktitle = {USENIX Security Symposium},
  year      = {2025},
}""",
    "hoeffding": """@article{hoeffding1963probability,
  title   = {Probability Inequalities for Sums of Bounded Random Variables},
  author  = {Hoeffding, Wassily},
  journal = {Journal of the American Statistical Association},
  volume  = {58},
  year    = {1963},
}""",
    "abstain": """@article{xiang2025tight,
  title  = {Tight Privacy Audit in One Run},
  author = {Xiang, Zihang and Wang, Tianhao and Xiao, Hanshen and Tian, Yuan and Wang, Di},
  year   = {2025},
  note   = {arXiv:2509.08704},
}""",
    "keinan": """@article{keinan2025how,
  title  = {How Well Can Differential Privacy Be Audited in One Run?},
  author = {Keinan, Amit and Shenfeld, Moshe and Ligett, Katrina},
  year   = {2025},
  note   = {arXiv:2503.07199},
}""",
    "select": """@article{xiang2024how,
  title  = {How Does Selection Leak Privacy: Revisiting Private Selection and Improved Results for
            Hyper-parameter Tuning},
  author = {Xiang, Zihang and Wang, Chenglong and Wang, Di},
  year   = {2024},
  note   = {arXiv:2402.13087},
}""",
    "papernot-steinke": """@inproceedings{papernot2022hyperparameter,
  title     = {Hyperparameter Tuning with R{\\'e}nyi Differential Privacy},
  author    = {Papernot, Nicolas and Steinke, Thomas},
  booktitle = {International Conference on Learning Representations},
  year      = {2022},
}""",
    "liu-talwar": """@inproceedings{liu2019private,
  title     = {Private Selection from Private Candidates},
  author    = {Liu, Jingcheng and Talwar, Kunal},
  booktitle = {ACM Symposium on Theory of Computing},
  year      = {2019},
}""",
    "balle-renyi": """@inproceedings{balle2020hypothesis,
  title     = {Hypothesis Testing Interpretations and R{\\'e}nyi Differential Privacy},
  author    = {Balle, Borja and Barthe, Gilles and Gaboardi, Marco and Hsu, Justin and
               Sato, Tetsuya},
  booktitle = {International Conference on Artificial Intelligence and Statistics},
  year      = {2020},
}""",
    "balle-gaussian": """@inproceedings{balle2018improving,
  title     = {Improving the {Gaussian} Mechanism for Differential Privacy: Analytical Calibration
               and Optimal Denoising},
  author    = {Balle, Borja and Wang, Yu-Xiang},
  booktitle = {International Conference on Machine Learning},
  year      = {2018},
}""",
    "koskela-tv": """@article{koskela2024blackbox,
  title  = {Black Box Differential Privacy Auditing Using Total Variation Distance},
  author = {Koskela, Antti and Mohammadi, Jafar},
  year   = {2024},
  note   = {arXiv:2406.04827v1},
}""",
    "andrew": """@inproceedings{andrew2024one,
  title     = {One-shot Empirical Privacy Estimation for Federated Learning},
  author    = {Andrew, Galen and Kairouz, Peter and Oh, Sewoong and Oprea, Alina and
               McMahan, H. Brendan and Suriyakumar, Vinith M.},
  booktitle = {International Conference on Learning Representations},
  year      = {2024},
}""",
    "gonzalez": """@inproceedings{gonzalez2025sequentially,
  title     = {Sequentially Auditing Differential Privacy},
  author    = {Gonz{\\'a}lez, Tom{\\'a}s and Dulce-Rubio, Mateo and Ramdas, Aaditya and
               Ribero, M{\\'o}nica},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2025},
  note      = {arXiv:2509.07055},
}""",
    "kutta": """@article{kutta2026sequential,
  title  = {Sequential Auditing for f-Differential Privacy},
  author = {Kutta, Tim and Dunsche, Martin and Wei, Yu and Zikas, Vassilis},
  year   = {2026},
  note   = {arXiv:2602.06518},
}""",
    "scott": """@book{scott1992multivariate,
  title     = {Multivariate Density Estimation: Theory, Practice, and Visualization},
  author    = {Scott, David W.},
  publisher = {Wiley},
  year      = {1992},
}""",
    "workbench-tables": _own("_tables", "Bounds for the worst of many records from score tables"),
    "holm": """@article{holm1979simple,
  title   = {A Simple Sequentially Rejective Multiple Test Procedure},
  author  = {Holm, Sture},
  journal = {Scandinavian Journal of Statistics},
  volume  = {6},
  year    = {1979},
}""",
    "vovk-wang": """@article{vovk2021evalues,
  title   = {E-values: Calibration, Combination and Applications},
  author  = {Vovk, Vladimir and Wang, Ruodu},
  journal = {The Annals of Statistics},
  volume  = {49},
  year    = {2021},
}""",
    "wang-ramdas": """@article{wang2022false,
  title   = {False Discovery Rate Control with E-values},
  author  = {Wang, Ruodu and Ramdas, Aaditya},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume  = {84},
  year    = {2022},
}""",
}

_SOURCES = {
    "held-out event": ("auditorium", "berger-boos", "buehler", "zubkov-serov", "kairouz"),
    "variational Rényi divergence": ("auditorium", "birrell", "waudby-smith"),
    "kernel witness function": ("auditorium", "gretton", "waudby-smith"),
    "held-out bins": ("auditorium", "koskela-hist", "berger-boos", "buehler", "kairouz"),
    "betting": ("ville", "waudby-smith", "turner", "gonzalez", "kairouz"),
    "selection by a monotone score": ("select", "dong"),
    "selection by a monotone score (Rényi)": ("select", "balle-renyi"),
    "selection by any score (Rényi)": ("papernot-steinke", "liu-talwar", "balle-renyi"),
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
    "mean difference (noncentral t)": ("johnson-welch", "dong"),
    "own variances (F and noncentral t)": ("workbench", "johnson-welch"),
    "family within the two-sided band": ("workbench", "clopper-pearson"),
    "pooled count of false answers": ("clopper-pearson", "kairouz"),
    "one run, Steinke et al. 2023": ("steinke",),
    "one run, sharp": ("workbench-one-run", "steinke"),
    "one run, Mahloujifar et al. 2024": ("mahloujifar", "dong"),
    "one run, bits (Clopper–Pearson)": ("xiang-bits", "clopper-pearson", "dong"),
    "one run, bits (Hoeffding)": ("xiang-bits", "hoeffding", "dong"),
    "one run, abstaining bits": ("abstain", "xiang-bits", "dong"),
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
    keys = [*_SOURCES.get(method, ()), "workbench-itself"]
    return "\n\n".join(_ENTRIES[key] for key in keys)


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
