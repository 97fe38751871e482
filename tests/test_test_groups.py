"""Tests that share a server or a notebook run in one process of ``make test``."""

import pytest


@pytest.mark.xdist_group("one process")
def test_a_group_is_kept_together(request):
    """pytest-xdist 3.8 names groups in a way that pytest 9.2 ignores without a word."""
    if request.config.getoption("loadgroup", False):  # in a process of pytest-xdist
        assert request.node.nodeid.endswith("@one process")
