"""A count with logistic noise of scale 1."""

import workbench as wb


def logistic_count(dataset, size, rng):
    """``size`` noisy counts of the records."""
    return len(dataset) + rng.logistic(0, 1, size)


LOGISTIC_COUNT = wb.Mechanism(
    name="logistic-count",
    title="Count with logistic noise",
    run=logistic_count,
    claim=wb.PureDP(1),
    private=True,
    neighboring_relation="add-remove",
    domain=wb.Domain(0, 1),
    about="The number of records with logistic noise of scale 1.",
    pair=([1.0], [1.0, 1.0]),
)
