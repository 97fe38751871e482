"""JUnit XML, as Jenkins and GitLab read it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

#: What Jenkins' junit-10.xsd allows: attributes, those that must be, and children.
SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": (
        {"name", "classname", "time"},
        {"name", "classname"},  # GitLab tells test cases apart by both
        {"failure", "error", "skipped", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, {"message"}, set()),
    "skipped": ({"type", "message"}, {"message"}, set()),
    "system-out": (set(), set(), set()),
}


def assert_junit(root: Element) -> None:
    """Fail where an element has an attribute or a child that the schema does not know."""
    for element in root.iter():
        allowed, needed, children = SCHEMA[element.tag]
        assert needed <= set(element.attrib) <= allowed
        assert {child.tag for child in element} <= children
