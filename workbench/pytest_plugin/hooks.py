"""What pytest loads: options, the fixture ``privacy_audit``, and the report at the end.

Everything of the workbench is imported once a test asks for the fixture, or a report for the
records; a run without them pays for `import workbench` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from workbench.pytest_plugin.audits import PrivacyAudit
    from workbench.pytest_plugin.records import Record

#: Name of the property of a test by which audits also reach the controller of pytest-xdist.
_PROPERTY = "privacy_audit"

_COLLECTING = pytest.StashKey["_Collecting"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--audit-report``, ``--audit-seed`` and the setting ``audit_confidence``."""
    group = parser.getgroup("privacy audits")
    group.addoption(
        "--audit-report",
        metavar="PATH",
        help="write a report of all audits by the fixture privacy_audit: .html, .md or .json",
    )
    group.addoption(
        "--audit-seed",
        type=int,
        default=0,
        metavar="N",
        help="the seed of audits of mechanisms by the fixture privacy_audit (default: 0)",
    )
    parser.addini(
        "audit_confidence",
        "confidence of each audit by the fixture privacy_audit: 1 minus the probability with "
        "which it refutes a true claim, at most (default: 0.95)",
        default="0.95",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a report that no format writes, before any test runs."""
    config.stash[_COLLECTING] = collecting = _Collecting()
    config.pluginmanager.register(collecting)
    path = config.getoption("--audit-report")
    if path is not None:
        from workbench.pytest_plugin.report import report_path

        try:
            report_path(path)
        except ValueError as error:
            raise pytest.UsageError(f"--audit-report: {error}") from None


@pytest.fixture
def privacy_audit(request: pytest.FixtureRequest) -> PrivacyAudit:
    """Audits a mechanism or scores: ``privacy_audit(release, "approx(1, 1e-5)", must_detect=2)``.

    Fails the test if the claim is refuted or the audit was too weak. See
    `workbench.pytest_plugin.audits.PrivacyAudit`.
    """
    from workbench import _checks
    from workbench.pytest_plugin.audits import PrivacyAudit

    stated = str(request.config.getini("audit_confidence"))
    try:
        confidence = _checks.confidence(float(stated))
    except ValueError as error:
        raise pytest.UsageError(f"audit_confidence = {stated}: {error}") from None
    kept: list[tuple[str, Any]] = request.node.user_properties
    return PrivacyAudit(
        request.node.nodeid,
        confidence,
        request.config.getoption("--audit-seed"),
        lambda record: kept.append((_PROPERTY, record.to_json())),
    )


class _Collecting:
    """The audits of the tests that have ended, here or in a worker of pytest-xdist."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the audits of a test; of one that is run again, those of all its runs."""
        texts = [text for name, text in report.user_properties if name == _PROPERTY]
        if texts:
            self._texts[report.nodeid] = [str(text) for text in texts]

    def records(self) -> list[Record]:
        """In the order in which the tests ended."""
        from workbench.pytest_plugin.records import Record

        return [Record.from_json(text) for texts in self._texts.values() for text in texts]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the audits may err together, and write the report."""
    records, path = config.stash[_COLLECTING].records(), config.getoption("--audit-report")
    if not records and path is None:
        return
    from workbench.pytest_plugin.records import budget_in_words

    terminalreporter.section("privacy audits")
    if records:
        terminalreporter.write_line(f"{budget_in_words(records)}.")
    if path is None:
        return
    from workbench.pytest_plugin.report import report_path, write_audit_report

    try:
        write_audit_report(report_path(path), records)
    except OSError as error:
        terminalreporter.write_line(f"{path} cannot be written: {error.strerror}", red=True)
    else:
        terminalreporter.write_line(f"The report is in {path}.")
