"""Cases of tests that `make test` leaves to `make coverage`."""

import pytest
from helpers.samples import sampled


@pytest.mark.parametrize(
    ("cases", "kept", "numbers"),
    [
        (5, 1, {0}),
        (5, 2, {0, 4}),
        (5, 3, {0, 2, 4}),
        (2, 3, {0, 1}),
        (3, 3, {0, 1, 2}),
        (1, 1, {0}),
    ],
)
def test_cases_that_are_kept_are_spread_evenly(cases, kept, numbers):
    assert sampled(cases, kept) == numbers


def test_as_many_as_are_named_are_kept():
    assert all(len(sampled(n, kept)) == min(n, kept) for n in range(1, 60) for kept in range(1, 60))


def test_a_test_that_keeps_no_case_is_refused():
    with pytest.raises(ValueError, match="at least 1 of its cases, not 0"):
        sampled(5, 0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(5))
def test_only_some_cases_are_left_to_the_exhaustive_run(request, number):
    left = request.node.get_closest_marker("exhaustive") is not None
    assert left == (number not in {0, 4})
