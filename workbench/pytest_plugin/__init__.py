"""The pytest plugin: the fixture `privacy_audit`, and a report of all audits of a test run.

`hooks` is what pytest loads; it imports nothing else before a test asks for the fixture. `audits`
is the fixture, `records` what it keeps of each audit, and `report` the file that
``--audit-report`` names.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
