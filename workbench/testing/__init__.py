"""Assertions for test suites, on mechanisms and on scores, and checks of plug-ins.

::

    from workbench.testing import assert_no_violation, assert_not_refuted, check_pair

    def test_release_is_private():
        assert_no_violation(release, "approx(1, 1e-5)", must_detect=1.5)

    def test_the_model_keeps_its_claim():
        assert_not_refuted(wb.read_scores("audit.csv"), "dpsgd(noise=1, rate=0.01, steps=1000)")

    def test_our_pair():
        check_pair(wb.named_pair("logistic", scale=1.0))

They work in pytest, in unittest, and anywhere else where an AssertionError fails a test.

`assertions` are about what is audited. The others check what a package adds to the workbench, by
the properties that our own have: `pairs`, `claims`, `testers`, `intervals`, `layouts`, `pages` (and
formats of reports) and `mechanisms`. Their failure is a `CheckFailure`, of `failure`.

`record` says where the bug is: it records the primitives of a mechanism on one data set, and
replays them on a neighbor.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
