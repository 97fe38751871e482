"""Reports: an audit as one HTML file, as PDF, Markdown, JSON, or a notebook.

`write` writes them. `contents` puts an audit into words and rows, with the `summary` for readers
who do not know differential privacy; `states` computes what its charts answer with; `html`,
`markdown` and `pdf` are the formats, `card` is the published schema of the JSON, `errors` what may
go wrong. `forms` names how much a report has; `one_page` has the answer on one page. ``report.js``
and ``report.css`` make an HTML report live; ``audit-card-1.schema.json`` is the schema.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
