"""The pages: state (param), figures, numbers and help of each.

`registry` lists the pages, `core` says what a page, a job and a slider are, `inputs` are settings
that several pages share. The small pages are modules here, the larger ones folders with `page` in
them.

To add a page, read `core.page` and a small page such as `counts`; then add a line to `registry`.
"""
