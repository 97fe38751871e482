"""`KeptLooks`: the looks of a `CanaryAudit` in a file, for a training that may resume.

A look spends a part of the error budget. An audit that began anew when its training resumes would
look again at steps whose looks were made, and show a second bound at each.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _json
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.live.writing import replace_table

#: What the name of the file ends with, after that of the table.
ENDING = ".looks"

VERSION = 1


class KeptLooks:
    """The file beside the table of an audit, replaced whole at each look.

    Parameters
    ----------
    table : Path
        The csv file of the audit.
    audit : dict
        What the audit is, as plain values: a file of another one is refused.
    """

    def __init__(self, table: Path, audit: _json.JsonObject):
        self.table, self.path = table, table.with_name(table.name + ENDING)
        self._audit = audit

    def write(self, looks: _json.JsonObject) -> None:
        """Replace the file.

        Parameters
        ----------
        looks : dict
            What was found so far; bounds are allowed.

        Raises
        ------
        OSError
            It cannot be written.
        """
        whole = {"version": VERSION, "audit": self._audit, "looks": looks}
        replace_table(self.path, [_json.dumps_ascii(_json.plain(whole, "text", _bound))])

    def read(self) -> _json.JsonObject | None:
        """What the file has of the looks; None where there is no audit to continue.

        Raises
        ------
        ValueError
            The file is no such file, or one of another audit; a table without it.
        """
        if not self.path.exists():
            if self.table.exists():
                raise ValueError(
                    f"{self.table} cannot be continued, as {self.path.name} is missing beside it; "
                    "give another path, and resume=True from the start of a training"
                )
            return None
        try:
            whole = _json.loads(self.path.read_text(encoding="utf-8"))
            audit, looks = dict(whole["audit"]), dict(whole["looks"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{self.path} is no file of the looks of a live audit") from None
        for name, value in self._audit.items():
            if audit.get(name) != value:
                raise ValueError(
                    f"{self.path} is of another audit: {name} was {audit.get(name)!r} and is "
                    f"{value!r}; give the arguments with which the training began, or another path"
                )
        return looks

    def scores(self, included: NDArray[np.bool_]) -> Floats | None:
        """The scores of the table, larger for members; None where it has none.

        Raises
        ------
        ValueError
            A table of other canaries, or a damaged one.
        """
        if not self.table.exists():
            return None
        try:
            rows = np.loadtxt(self.table, delimiter=",", skiprows=1, ndmin=2)
        except ValueError:
            rows = np.zeros((0, 4))
        if rows.shape != (included.size, 4) or not np.array_equal(rows[:, 2] == 1, included):
            raise ValueError(f"{self.table} is damaged, or of other canaries; give another path")
        return np.array(rows[:, 1])


def coins_digest(included: NDArray[np.bool_]) -> str:
    """Which canaries are in, as a short text that does not tell it."""
    return hashlib.sha256(np.packbits(included).tobytes()).hexdigest()[:16]


def bound_of(values: _json.JsonObject) -> Bound:
    """The bound that a file has."""
    plain = {
        name: float(value) if value in ("Infinity", "-Infinity") else value
        for name, value in values.items()
    }
    return Bound.from_dict(plain)


def _bound(value: Any) -> Any:
    return _json.plain(value.to_dict(), "text") if isinstance(value, Bound) else NotImplemented
