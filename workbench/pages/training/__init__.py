"""The page that trains models and audits them while they come.

`page` is the complete page. Its parts have one subject each: `setup` (what is trained and
audited), `watching` (the training, and where its result is opened), `findings` (what the scores so
far show; `shown` has it for each kind of result), `sentences` (the same in words) and `charts`.
`words` are sentences about an audit, `code` writes the Python that reproduces the page.
"""
