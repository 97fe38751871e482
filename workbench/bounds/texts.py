"""A bound in all forms in which it is copied: a sentence, LaTeX and BibTeX."""

from __future__ import annotations

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.citations import with_own
from workbench.bounds.latex import latex_of


def bound_texts(bound: Bound) -> dict[str, str]:
    r"""A bound as a sentence, in LaTeX, and the BibTeX of its sources.

    Parameters
    ----------
    bound : Bound

    Returns
    -------
    dict
        "sentence", as `Bound.explain`; "latex", as `Bound.to_latex`; "bibtex", as `Bound.cite`,
        and the entry of the workbench itself. A bound that is not valid says so in all three.

    Raises
    ------
    TypeError
        Not a `Bound`.

    Examples
    --------
    >>> bound = wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5)
    >>> print(wb.bound_texts(bound)["latex"])
    $\varepsilon \ge 1.16$ at $\delta = 10^{-5}$ (pointwise, 95\% confidence,
    assuming independent rows)
    """
    _checks.instance(bound, Bound, "bound", "a workbench.Bound")
    entries = with_own(bound.method)
    if bound.void:
        # BibTeX skips what stands outside of entries, up to the next @.
        reason = " ".join(bound.void.split()).replace("@", "(at)")
        entries = f"% The bound is not valid: {reason}\n\n{entries}"
    return {"sentence": bound.explain(), "latex": latex_of(bound), "bibtex": entries}
