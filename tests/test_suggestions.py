"""A message that suggests a number suggests one that is taken."""

import re

import pytest

import workbench as wb
from workbench import _checks


@pytest.mark.parametrize(
    "confidence", [0.5, 0.05, 0.49999999, 0.1, 1e-3, 1e-9, 1e-17, 5e-324, 0.3333333333333333]
)
def test_a_suggested_confidence_is_one(confidence):
    with pytest.raises(ValueError, match="confidence must be above") as caught:
        _checks.confidence(confidence)
    meant = re.search(r"did you mean ([^?]*)\?", str(caught.value))
    if meant is not None:
        assert _checks.confidence(float(meant[1])) == pytest.approx(1 - confidence, abs=1e-6)
    assert (meant is not None) == (1e-6 < confidence < 0.499999)


@pytest.mark.parametrize("steps", [1000, 10**9, 10**12])
def test_a_suggested_number_of_scores_can_be_drawn(steps):
    pair = wb.DPSGDPair(1.0, 0.5, steps)
    with pytest.raises(ValueError, match="more than 1e") as caught:
        pair.sample(4 * 10**7)
    most = re.search(r"take at most (\d+) scores", str(caught.value))
    assert (most is not None) == (steps < 10**9)
    if most is not None:
        assert int(most[1]) >= 2
