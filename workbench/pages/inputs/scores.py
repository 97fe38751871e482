"""The choice of the two data sets of a page that compares them."""

from __future__ import annotations

import param

from workbench.pages.core.part import Part
from workbench.pages.inputs.data import DataChoice, DataInput

#: The two choices by their prefix; the first is the current data set.
INPUTS = {
    side: DataInput(f"{side}_data", side, f"{side}_seed", menu=side == "a") for side in ("a", "b")
}


class ComparedScores(Part):
    """The choice of one of the two data sets; the page has a `Sample` under the same prefix.

    Parameters
    ----------
    side : {"a", "b"}
    default : str
        The key of the data set that the page begins with.
    """

    def __init__(self, side: str, default: str):
        super().__init__(side)
        self._default = default

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters of the key and the seed."""
        one, title = INPUTS[self.prefix], self.prefix.upper()
        return {
            one.data: DataChoice(self._default, input=one, label=f"Data of {title}"),
            one.seed: param.Integer(
                list(INPUTS).index(self.prefix), precedence=-1, doc=f"Seed of {title}'s sample."
            ),
        }
