"""`Form`: how much of an audit a report has."""

from __future__ import annotations

from typing import Literal, get_args

Form = Literal["complete", "one-page", "both"]

#: All forms: the complete report, the answer on one page, or both, the page first.
FORMS: tuple[Form, ...] = get_args(Form)

#: Endings of files that are documents; the others are for programs, and have all in one form.
DOCUMENTS = ("html", "pdf")
