"""`patients`: a public table with columns of several kinds, which comes with scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.mechanisms.table_columns import category, integer, numeric
from workbench.mechanisms.table_domain import TableDomain
from workbench.software.extras import check

if TYPE_CHECKING:
    import pandas as pd

#: Classes of the body mass index, and their upper limits (World Health Organization).
WEIGHTS = {"underweight": 18.5, "normal": 25.0, "overweight": 30.0, "obese": float("inf")}

#: What columns of such tables can hold: general knowledge, which does not depend on the table.
PATIENTS = TableDomain(
    {
        "age": integer(18, 90),
        "sex": category("1", "2"),
        "weight": category(*WEIGHTS),
        "blood_pressure": numeric(50, 150),
        "cholesterol": integer(80, 400),
        "hdl": numeric(10, 120),
        "triglycerides": numeric(3, 7),
        "glucose": integer(40, 200),
        "progression": integer(0, 400),
    },
    rows=(0, 10_000),
)

#: The columns by their names in scikit-learn.
_NAMES = {
    "age": "age",
    "sex": "sex",
    "bmi": "weight",
    "bp": "blood_pressure",
    "s1": "cholesterol",
    "s3": "hdl",
    "s5": "triglycerides",
    "s6": "glucose",
    "target": "progression",
}


def patients() -> pd.DataFrame:
    """442 diabetes patients: a public table with numbers, whole numbers and categories.

    Returns
    -------
    DataFrame
        Columns: age in years; sex, "1" or "2" as its authors coded it; weight, the class of the
        body mass index; mean blood_pressure; cholesterol and hdl in mg/dl; triglycerides, a
        logarithm; glucose; progression, of the disease after a year. It is made anew at every call.

    Notes
    -----
    It is scikit-learn's "diabetes", without a download, with the body mass index as four classes.

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Annals of Statistics, 2004.

    Examples
    --------
    >>> wb.synthetic.patients().shape
    (442, 9)
    """
    check("sklearn", "the table of patients needs")
    import pandas as pd
    from sklearn.datasets import load_diabetes  # type: ignore[import-untyped]

    raw = load_diabetes(as_frame=True, scaled=False).frame
    frame = raw[list(_NAMES)].rename(columns=_NAMES)
    limits = [0.0, *WEIGHTS.values()]
    frame["weight"] = pd.cut(frame["weight"], limits, right=False, labels=list(WEIGHTS)).astype(str)
    frame["sex"] = frame["sex"].astype(int).astype(str)
    for name in ("age", "cholesterol", "glucose", "progression"):
        frame[name] = frame[name].round().astype("int64")
    return frame
