"""All families by name."""

from __future__ import annotations

from typing import Literal

from workbench import _checks
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

FamilyName = Literal["gaussian", "laplace", "subsampled-gaussian", "randomized-response"]

#: Families by the name that functions take as ``family=``.
FAMILIES: dict[str, type[Family]] = {
    "gaussian": GaussianFamily,
    "laplace": LaplaceFamily,
    "subsampled-gaussian": SubsampledGaussianFamily,
    "randomized-response": RandomizedResponseFamily,
}


def family_named(
    family: str | Family, *, delta: float | None = None, q: float | None = None
) -> Family:
    """The family of a name, with what is known of it besides its parameter.

    Parameters
    ----------
    family : str or Family
        A key of `FAMILIES`, or a family as it is.
    delta : float, optional
        δ of randomized response; other families have none and ignore it.
    q : float, optional
        Sampling probability of the subsampled Gaussian; superfluous otherwise.

    Raises
    ------
    ValueError
        An unknown name, an argument that is missing or superfluous.
    """
    if isinstance(family, Family):
        if q is not None:
            raise ValueError(f"q={q!r} has no use: the family {family.name!r} is given in full")
        return family
    _checks.one_of(family, "family", FAMILIES)
    if family == "subsampled-gaussian":
        if q is None:
            raise ValueError(
                "family='subsampled-gaussian' needs q=, the known sampling probability"
            )
        return SubsampledGaussianFamily(q)
    if q is not None:
        raise ValueError(
            f"family={family!r} takes no q=, got {q!r}; it belongs to family='subsampled-gaussian'"
        )
    if family == "randomized-response":
        if delta is None:
            raise ValueError("family='randomized-response' needs delta=")
        return RandomizedResponseFamily(delta)
    return GaussianFamily() if family == "gaussian" else LaplaceFamily()
