"""``df.wb.scores(...)`` after ``import workbench.pandas``: audit scores straight from a frame."""

from __future__ import annotations

from typing import Any

import pandas as pd

from workbench.scores.files import read_scores
from workbench.scores.sample import Scores


@pd.api.extensions.register_dataframe_accessor("wb")
class Accessor:
    """The workbench's view of a DataFrame."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame

    def scores(self, **how: Any) -> Scores:
        """The frame's columns as `Scores`.

        Parameters
        ----------
        **how
            As in `read_scores`: ``score=`` and ``member=`` (with ``member_value=`` where it is not
            plain which label means member), or ``p=`` and ``q=``; ``cluster=``,
            ``larger_is_member=``, ``sampling=``, …

        Returns
        -------
        Scores

        Raises
        ------
        ScoresError
            The layout is in doubt, or the scores cannot be audited.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench.pandas
        >>> df = pd.DataFrame({"loss": [0.1, 0.9, 0.2, 0.7], "in": [1, 0, 1, 0]})
        >>> df.wb.scores(score="loss", member="in", larger_is_member=False).n_p
        2
        """
        return read_scores(self._frame, **how)
