"""The level of each neighboring relation: mechanisms at exactly their claim are not accused.

The constants are exact: no proposal moves a sum further than its sensitivity, and some move it as
far; so the noise meets its claim with equality. Simulations of 1000 audits follow.
"""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.testers.finders import SEARCHES, finder
from workbench.testers.finders.base import FinishedTrial

#: Rows of a user that count.
CLIPPED = 2

DOMAIN = wb.TableDomain(
    {"x": (0.0, 1.0), "y": [0, 1]}, rows=(1, 6), user="id", max_rows_per_user=4, label="y"
)


def total(frame):
    """The sum of x."""
    return frame.x.sum()


def total_of_users(frame):
    """The sum of x over the first rows of each user."""
    return frame.groupby("id").head(CLIPPED).x.sum()


#: Statistics with their sensitivity by a relation.
SENSITIVE = {
    "add-remove": (total, 1.0),
    "substitute": (total, 1.0),
    "user": (total_of_users, float(CLIPPED)),
    "label": (lambda frame: frame.y.astype(int).sum(), 1.0),
}


@pytest.mark.parametrize("relation", SENSITIVE)
def test_proposals_reach_the_sensitivity_and_do_not_exceed_it(relation):
    statistic, sensitivity = SENSITIVE[relation]
    moved = []
    for name in SEARCHES:
        search, history = finder(name, relation, DOMAIN, 3), []
        for _ in range(10 if name == "bandit" else 60):
            pair = search.propose(history)
            history.append(FinishedTrial(pair, 0.0))
            moved.append(abs(statistic(pair.dataset) - statistic(pair.neighbor)))
    assert max(moved) == sensitivity
    # Laplace noise of scale sensitivity / ε is then exactly ε-private by this relation
    assert wb.LaplacePair(sensitivity / sensitivity).epsilon(0.0) == 1.0


def test_randomized_labels_keep_their_claim_with_equality():
    """A label is told with probability e/(1 + e): the ratio of either answer is e or 1/e."""
    told = np.array([FLIPPED, 1 - FLIPPED])
    assert np.log(told / told[::-1]) == pytest.approx([-1.0, 1.0], abs=1e-15)


#: The chance that a label is not told as it is.
FLIPPED = 1 / (1 + np.e)


def noisy(relation):
    statistic, sensitivity = SENSITIVE[relation]

    def mechanism(frame, size, rng):
        return statistic(frame) + rng.laplace(scale=sensitivity, size=size)

    return mechanism


def randomized_labels(frame, size, rng):
    labels = frame.y.astype(int).to_numpy()
    return labels ^ (rng.random((size, len(labels))) < FLIPPED)


def noisy_answers(answers, size, rng):
    """Three answers that move by 1 each."""
    return answers + rng.laplace(scale=3.0, size=(size, 3))


USERS = pd.DataFrame({"id": [0, 0, 0, 1], "x": [1.0, 1.0, 1.0, 0.0], "y": pd.Categorical([0] * 4)})

#: Mechanisms that meet pure(1) with equality, and a pair on which they do.
AT_THE_CLAIM = {
    "add-remove": (noisy("add-remove"), wb.Neighbors(USERS, USERS.iloc[1:])),
    "substitute": (
        noisy("substitute"),
        wb.Neighbors(USERS, USERS.assign(x=[1.0, 1.0, 0.0, 0.0]), "substitute"),
    ),
    "user": (noisy("user"), wb.Neighbors(USERS, USERS[USERS.id != 0], "user", column="id")),
    "label": (
        randomized_labels,
        wb.Neighbors(USERS[:1], USERS[:1].assign(y=1), "label", column="y"),
    ),
    "stated": (noisy_answers, wb.Neighbors(np.zeros(3), np.ones(3), "stated")),
}


@pytest.mark.statistical
@pytest.mark.parametrize("relation", AT_THE_CLAIM)
def test_few_of_a_thousand_audits_accuse_a_mechanism_at_its_claim(relation):
    mechanism, pair = AT_THE_CLAIM[relation]
    how = {"testers": ("hockey-stick", "histogram"), "samples": 500}
    accused = 0
    for seed in range(1000):
        if seed % 10 or relation == "stated":
            found = wb.audit_mechanism(mechanism, "pure(1)", pair, trials=1, seed=seed, **how)
        else:
            found = wb.audit_mechanism(
                *(mechanism, "pure(1)"),
                **{"domain": DOMAIN, "neighboring_relation": relation, "trials": 2, "seed": seed},
                **how,
            )
        assert not found.errors
        accused += found.violation
    assert accused <= 50


@pytest.mark.statistical
@pytest.mark.parametrize("name", SEARCHES)
def test_a_sum_without_clipping_is_found_by_user_and_is_private_by_row(name):
    """Noise for one row, where a user has up to four: at 1,000 runs on each dataset."""
    mechanism = noisy("add-remove")
    how = {"domain": DOMAIN, "trials": 15, "samples": 1000, "testers": ("hockey-stick",)}
    found = wb.audit_mechanism(mechanism, "pure(1)", name, neighboring_relation="user", **how)
    assert found.violation
    assert found.neighboring_relation == "user"
    row = wb.audit_mechanism(mechanism, "pure(1)", name, neighboring_relation="add-remove", **how)
    assert not row.violation
