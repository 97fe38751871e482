"""A report of an audit whose limits have two ends."""

from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.counts import CountsPage
from workbench.reports.contents import Contents
from workbench.reports.markdown import markdown


def test_a_two_sided_interval_is_summed_up_with_both_ends():
    text = markdown(Contents(audit_of(CountsPage(sided="two")), None))
    assert "ε at δ = 1e-5 is from 1.2" in text
