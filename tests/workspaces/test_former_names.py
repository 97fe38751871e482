"""Members of version 0.1 that are those of a part now: they work, and say where they are."""

from operator import attrgetter

import pytest

import workbench as wb
from workbench.scores.sample import MOVED as OF_SCORES
from workbench.workspaces.workspace import MOVED as OF_WORKSPACES

SCORES = wb.Scores([1.0, 2.0, 3.0], [0.0, 1.0, 2.0])
COUNTED = wb.CountedScores([0, 1], [2, 3], [3, 2], first=([1, 0], [0, 1]))

CASES = [
    *((wb.Workspace(), old, new) for old, new in OF_WORKSPACES.items()),
    *((scores, old, new) for scores in (SCORES, COUNTED) for old, new in OF_SCORES.items()),
]


@pytest.mark.parametrize(("made", "old", "new"), CASES)
def test_a_former_name_works_and_names_the_new_one(made, old, new):
    with pytest.warns(FutureWarning, match=rf"\.{old} is now \w+\.{new}$") as warned:
        found = getattr(made, old)
    assert warned[0].filename == __file__
    now = attrgetter(new)(made)
    assert found is now or repr(found) == repr(now) or found == now


def test_what_was_chosen_here_is_asked_for_by_its_former_names():
    served = wb.Workspace()
    served.active.choose("example:laplace")
    made = wb.Workspace(base=served)
    assert former(made) == (None, False, False)  # what the base has in view was not chosen here
    made.active.choose("example:digits-records")
    assert former(made) == (None, False, True)
    made.active.choose("example:ties")
    assert former(made) == ("example:ties", True, True)
    key = made.add_scores(SCORES).key
    made.active.choose(key)
    assert former(made) == (key, True, True)
    made.kept.remove(key)
    assert former(made) == (None, False, True)
    with (
        pytest.warns(FutureWarning, match=r"chosen_here\(kind\) is now .*\.active\.chosen\(kind\)"),
        pytest.raises(ValueError, match="kind must be"),
    ):
        made.chosen_here("audits")


def former(made):
    """`chosen`, and `chosen_here` of scores and of tables."""
    with pytest.warns(FutureWarning, match=r"is now Workspace\.active\.chosen\(") as warned:
        found = made.chosen, made.chosen_here("scores"), made.chosen_here("table")
    assert [one.filename for one in warned] == [__file__] * 3
    return found


def test_a_name_that_never_was_is_no_attribute():
    for made in (wb.Workspace(), SCORES, COUNTED):
        assert not hasattr(made, "nothing_like_that")
        with pytest.raises(AttributeError, match="no attribute 'nothing_like_that'"):
            made.nothing_like_that  # noqa: B018
